-- GET /flows and /health.
begin;
select plan(13);

select tests.create_agency('norte');

create temp table answer as select tests.api('api.list_flows()') as json;
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

select is(tests.api('api.health()', null) - 'time', '{"status": "ok"}', 'health says ok');
select is((tests.api('api.health()', null) ->> 'time')::timestamptz, now(), 'and the time');

select * from finish();
rollback;
