-- What a stage, a step or a flow is called, and what it asks for, is a row: no function knows one of them by name.
begin;
select plan(6);

-- A word of the pipeline that a function quotes. Comments do not count, nor does a contract's literal, which has a test of its own.
create temp table quoted as
select p.oid::regproc::text as function, w.kind, w.word
from pg_proc p
cross join lateral (select regexp_replace(regexp_replace(p.prosrc, '''\{[^'']*\}''', '', 'g'), '--[^\n]*', '', 'g') as source) s
join (
  select 'flow' as kind, f.id as word from public.flows f
  union select 'type', f.operation_type from public.flows f
  union select 'stage', g.id from public.stages g
  union select 'step', g.id from public.gate_steps g
  union select 'date', d.id from public.required_dates d
  union select 'label', l.label from (
    select label from public.flows union select label from public.stages
    union select label from public.gate_steps union select label from public.required_dates) l
) w on s.source ~ format('[''"%%]%s[''"%%]', w.word)
where p.pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'admin'::regnamespace);

select is_empty($$select function, word from quoted where kind = 'step'$$, 'no function names a step');
select is_empty($$select function, word from quoted where kind = 'date'$$, 'nor a required date');
select is_empty($$select function, word from quoted where kind in ('flow', 'type')$$, 'nor a flow or its type');
select is_empty($$select function, word from quoted where kind = 'label'$$, 'nor what one is called');
-- Other things are called by the same words: a property that is sold or rented, a viewing that is cancelled, a signature
-- that expired, the resource offer, the part of a case file.
select is_empty($$select function, word from quoted where kind = 'stage' and (function, word) not in (values
    ('private.refuse_taken_property', 'sold'), ('private.refuse_taken_property', 'rented'),
    ('private.get_one', 'offer'), ('api.get_offer', 'offer'), ('api.list_offers', 'offer'), ('api.sample_hook', 'offer'),
    ('api.create_offer_link', 'offer'), ('private.case_file', 'viewings'), ('private.agenda', 'viewings'),
    ('private.agenda', 'cancelled'), ('api.update_signature', 'expired'))$$, 'nor a stage');
select is_empty($$select c.conname from pg_constraint c
  join (select id from public.stages union select id from public.flows) w on pg_get_constraintdef(c.oid) ~ format('''%s''', w.id)
  where c.conrelid in ('public.operations'::regclass, 'public.operation_steps'::regclass)$$,
  'nor does a constraint of operations');

select * from finish();
rollback;
