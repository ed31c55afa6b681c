-- GET /flows and /health.
begin;
create extension if not exists pgtap with schema extensions;
select plan(13);

create function pg_temp.id(name text) returns uuid
language sql immutable as $$ select md5(name)::uuid $$;

-- What a refusal says: {"refused": <reason, else error code, else SQLSTATE>, "status", "code", "details"}.
create function pg_temp.refusal(state text, detail text) returns jsonb
language sql immutable strict as $$
  select case when state like 'PT%'
    then jsonb_build_object('status', substr(state, 3)::int,
      'refused', coalesce(detail::jsonb -> 'details' ->> 'reason', detail::jsonb ->> 'code')) || detail::jsonb
    else jsonb_build_object('refused', state) end
$$;

-- A request as the Data API makes it: role anon, the key in its header.
create function pg_temp.api(call text, key text default current_setting('test.key', true)) returns jsonb
language plpgsql as $$
declare
  answer jsonb;
  state text;
  detail text;
begin
  perform set_config('request.headers', json_build_object('x-corredor-key', key)::text, true);
  set local role anon;
  begin
    execute 'select ' || call into answer;
  exception when others then
    get stacked diagnostics state = returned_sqlstate, detail = pg_exception_detail;
  end;
  reset role;
  perform set_config('request.headers', '', true);
  return coalesce(pg_temp.refusal(state, detail), answer);
end
$$;

insert into public.agencies (id, name, slug) values (pg_temp.id('agency'), 'Norte', 'norte-pgtap');
do $$ begin
  perform set_config('test.key', admin.create_api_key(
    pg_temp.id('agency'), 'Web', private.role_permissions('owner'), requests_per_minute => 100000), true);
end $$;

create temp table answer as select pg_temp.api('api.list_flows()') as json;
select is((select array(select jsonb_object_keys(json)) from answer), '{data}', 'flows come in the normal envelope');
select is((select jsonb_path_query_array(json, '$.data[*].id') from answer), '["buy", "rent", "sell"]', 'all three');
select is((select jsonb_path_query_array(json, '$.data[*] ? (@.id == $flow).stages[*] ? (@.is_terminal == false).id', jsonb_build_object('flow', flow)) from answer),
  stages::jsonb, flow || ': its active stages in order')
from (values
  ('buy', '["qualification", "search", "viewings", "offer", "reservation", "closing"]'),
  ('rent', '["qualification", "search", "viewings", "offer", "contract", "handover"]'),
  ('sell', '["valuation", "mandate", "listed", "offer", "reservation", "closing"]')) v (flow, stages);
select is((select jsonb_path_query_array(json, '$.data[*] ? (@.id == $flow).stages[*] ? (@.is_terminal == true).id', jsonb_build_object('flow', flow)) from answer),
  stages::jsonb, flow || ': then its closing stages')
from (values
  ('buy', '["won", "lost", "expired", "cancelled"]'), ('rent', '["rented", "won", "lost", "expired", "cancelled"]'), ('sell', '["sold", "won", "lost", "expired", "cancelled"]')) v (flow, stages);
select is((select json #> '{data,0,stages,2}' from answer), '{"id": "viewings", "label": "Visitas", "position": 3, "is_terminal": false, "outcome": null, "gate_steps": [
  {"id": "propiedadesVisitadas", "label": "Propiedades visitadas"}, {"id": "favoritaElegida", "label": "Propiedad favorita elegida"}]}', 'a stage tells the steps of its gate');
select is((select json #> '{data,0,stages,6}' from answer),
  '{"id": "won", "label": "Ganada", "position": null, "is_terminal": true, "outcome": "success", "gate_steps": []}',
  'a closing stage its outcome');
select is((select json #>> '{data,0,stages,7,outcome}' from answer), 'failure', 'which may be a failure');

select is(pg_temp.api('api.health()', null) - 'time', '{"status": "ok"}', 'health says ok');
select is((pg_temp.api('api.health()', null) ->> 'time')::timestamptz, now(), 'and the time');

select * from finish();
rollback;
