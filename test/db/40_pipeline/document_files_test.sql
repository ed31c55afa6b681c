-- Files of documents in Storage: who may sign for them, and what their arrival does.
begin;
select plan(30);

select tests.populate('norte', 'viewings'), tests.populate('sur', 'viewings');

insert into public.documents (agency_id, id, operation_id, kind, name, content_type, size_bytes)
select tests.id(agency), tests.id(agency || ' ' || kind), tests.id(agency || ' row'), kind, name, type, 10
from unnest('{norte,sur}'::text[]) agency, (values
  ('identity', 'DNI de María (2).PDF', 'application/pdf'), ('viewing_sheet', null, 'image/jpeg'), ('deed', '../../é', 'image/png')) v (kind, name, type);
insert into public.documents (agency_id, id, operation_id) values (tests.id('norte'), tests.id('norte asked'), tests.id('norte row'));

create function pg_temp.path(document text) returns text
language sql as $$ select storage_path from public.documents where id = tests.id(document) $$;
-- What Storage does before it signs, as a caller with a key: 'ok' or the SQLSTATE.
create function pg_temp.sign(statement text, headers text) returns text
language plpgsql as $$
declare
  outcome text := 'ok';
  n int;
begin
  perform set_config('request.headers', headers, true);
  set local role anon;
  begin
    execute statement;
    get diagnostics n = row_count;
    outcome := n || ' rows';
    raise exception using errcode = 'P0999';
  exception when sqlstate 'P0999' then null;
    when others then outcome := sqlstate;
  end;
  reset role;
  perform set_config('request.headers', '', true);
  return outcome;
end
$$;
create temp table caller as select name, json_build_object('x-corredor-key', key)::text as headers from (values
  ('norte', tests.key('norte')), ('sur', tests.key('sur')),
  ('a reader', admin.create_api_key(tests.id('norte'), 'Reader', array['documents:read'])),
  ('a writer of leads', admin.create_api_key(tests.id('norte'), 'Leads', array['leads:write'])), ('nobody', null)) v (name, key);

select is(pg_temp.path('norte identity'), format('%s/%s/dni-de-maria-2.pdf', tests.id('norte'), tests.id('norte identity')), 'a file is named by its document');
select is(pg_temp.path('norte viewing_sheet'), format('%s/%s/viewing-sheet.jpg', tests.id('norte'), tests.id('norte viewing_sheet')), 'or by its kind');
select is(pg_temp.path('norte deed'), format('%s/%s/e.png', tests.id('norte'), tests.id('norte deed')), 'and stays in its folder');
select is(pg_temp.path('norte asked'), null, 'without a file there is no place for one');

-- Storage sends the type and the length of the request that asks for the URL.
select is(pg_temp.sign(format('insert into storage.objects (bucket_id, name, version, metadata) values (''documents'', %L, ''1'', ''{"mimetype": "application/json", "contentLength": 2}'')',
    pg_temp.path('norte identity')), headers),
  case name when 'norte' then '1 rows' else '42501' end, name || ' has an upload of Norte signed, or not')
from caller;
select is(pg_temp.sign(format('insert into storage.objects (bucket_id, name) values (%L, %L)', bucket, path), (select headers from caller where name = 'norte')),
  '42501', 'norte has no upload signed to ' || what)
from (values ('documents', tests.id('norte') || '/elsewhere.pdf', 'where no document waits'), ('documents', pg_temp.path('sur identity'), 'another agency')) v (bucket, path, what);

insert into storage.objects (bucket_id, name, metadata) values
  ('documents', pg_temp.path('norte viewing_sheet'), '{"mimetype": "image/jpeg", "size": 7}'),
  ('documents', pg_temp.path('sur deed'), '{"mimetype": "image/png", "contentLength": 7}');
select is((select jsonb_build_object('status', status, 'uploaded', uploaded_at) from public.documents where id = tests.id('sur deed')),
  '{"status": "requested", "uploaded": null}', 'before a file has a size it is not there');
select is((select jsonb_build_object('status', status, 'size', size_bytes, 'dated', uploaded_at is not null and completed_at is not null)
  from public.documents where id = tests.id('norte viewing_sheet')), '{"status": "received", "size": 7, "dated": true}', 'a requested document is received with its file');
select is((select done from public.operation_steps where operation_id = tests.id('norte row') and step_id = 'propiedadesVisitadas'), true,
  'and a viewing sheet closes propiedadesVisitadas');
-- Refused with 42501: the one code that Storage answers as a refusal, with the message.
select throws_ok(format('insert into storage.objects (bucket_id, name, metadata) values (''documents'', %L, %L)', name, metadata), '42501', message, label)
from (values
  (tests.id('norte') || '/elsewhere.pdf', '{"size": 7}', 'No document waits for this file: it is there already, or was announced as another one.',
    'a file that no document waits for is refused'),
  (pg_temp.path('norte deed'), '{"size": 11}', 'The file has 11 bytes, and at most the announced 10 are taken.', 'a file larger than announced is refused'),
  (pg_temp.path('norte deed'), '{"size": 0}', 'The file is empty.', 'an empty file is refused')) v (name, metadata, message, label);
select throws_ok(format('update storage.objects set %s where name = %L', change, pg_temp.path('norte viewing_sheet')), '42501',
  'The file of a document stays as it came: it is neither moved nor replaced.', 'what arrived is not changed: ' || change)
from unnest(array['name = ''x''', 'version = ''2''', 'metadata = metadata || ''{"size": 6}''']) change;
select lives_ok(format('update storage.objects set last_accessed_at = now(), user_metadata = ''{}'' where name = %L', pg_temp.path('norte viewing_sheet')),
  'what is no matter of the file may change');

select is(pg_temp.sign(format('select from storage.objects where name = %L', pg_temp.path('norte viewing_sheet')), headers),
  case when name in ('norte', 'a reader') then '1 rows' else '0 rows' end, name || ' has a download of Norte signed, or not')
from caller;
-- As Storage does: without the setting no row is deleted by SQL at all.
set local storage.allow_delete_query = 'true';
select is(pg_temp.sign('delete from storage.objects where bucket_id = ''documents''', (select headers from caller where name = 'norte')), '0 rows',
  'nobody removes a file');
select is(pg_temp.sign('update storage.objects set name = ''x'' where bucket_id = ''documents''', (select headers from caller where name = 'norte')), '0 rows', 'or moves one');

select is((select jsonb_build_object('public', public, 'limit', file_size_limit) from storage.buckets where id = 'documents'),
  '{"public": false, "limit": 20971520}', 'the bucket is private and takes 20 MiB a file');
select set_eq('select unnest(allowed_mime_types) from storage.buckets where id = ''documents''',
  array['application/pdf', 'image/jpeg', 'image/png', 'image/webp', 'image/heic', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  'of these kinds');

select * from finish();
rollback;
