-- Forty people, each with the interest that brought them. `agent` is the name before the @ of the agent's e-mail.
create temp table demo_lead as
select v.*, pg_temp.id('agency ' || v.agency) as agency_id, pg_temp.id('lead ' || v.full_name) as lead_id,
  pg_temp.id('contact ' || v.full_name) as contact_id, now() - v.days * interval '1 day' - interval '3 hours' as came_at
from (values
  ('demo', 'Carmen Ortiz', '+34611000001', 'carmen.ortiz@correo.example', 'portal', 'qualified', 'hot', 300000, 3, 'Ruzafa', 'es', 'immediate', 'lucia', 34, 'Tiene la hipoteca concedida; quiere balcón y ascensor.'),
  ('demo', 'Javier Molina', '+34611000002', 'javier.molina@correo.example', 'web', 'contacted', 'warm', 1200, 2, 'Algirós, Benimaclet', 'es', 'soon', 'marc', 9, 'Profesor de la universidad; empieza en enero.'),
  ('demo', 'Emma Clarke', '+447700900103', 'emma.clarke@mail.example', 'email', 'contacted', null, null, null, null, null, null, 'aitana', 10, null),
  ('demo', 'Rosa Beltrán', '+34611000004', 'rosa.beltran@correo.example', 'phone', null, null, null, null, null, 'es', null, 'lucia', 40, 'Hereda la casa con su hermano; los dos firman.'),
  ('demo', 'Sergi Palau', '+34611000005', 'sergi.palau@correo.example', 'portal', 'qualified', 'warm', 225000, 3, 'Benimaclet, Algirós', 'es', 'soon', 'lucia', 6, null),
  ('demo', 'Marta Ibáñez', '+34611000006', 'marta.ibanez@correo.example', 'web', 'qualified', 'hot', 420000, 3, 'La Saïdia, Benimaclet', 'es', 'soon', 'aitana', 92, 'Antes buscaba alquiler; ahora compra.'),
  ('demo', 'Andrés Pons', '+34611000007', 'andres.pons@correo.example', 'referral', 'qualified', 'hot', 1400, 2, 'Mestalla', 'es', 'immediate', 'marc', 21, null),
  ('demo', 'Laura Pons', '+34611000007', 'laura.pons@correo.example', 'portal', 'qualified', 'warm', 380000, 2, 'Alboraya', 'es', 'soon', 'aitana', 24, 'Hermana de Andrés; comparten teléfono.'),
  ('demo', 'Hugo Navarro', '+34611000009', 'hugo.navarro@correo.example', 'walk_in', 'qualified', 'warm', 400000, 3, 'Valencia', 'es', 'soon', 'marc', 13, 'Vende en Torrent para comprar en la ciudad.'),
  ('demo', 'Elena Quiles', '+34611000010', 'elena.quiles@correo.example', 'portal', 'qualified', 'hot', 1000, 2, 'Patraix', 'es', 'immediate', 'marc', 26, null),
  ('demo', 'Tomás Escrivá', '+34611000011', 'tomas.escriva@correo.example', 'referral', null, null, null, null, null, 'es', null, 'lucia', 46, 'No baja de 500.000.'),
  ('demo', 'Beatriz Llorens', '+34611000012', 'beatriz.llorens@correo.example', 'web', 'qualified', 'hot', 270000, 3, 'Campanar', 'es', 'soon', 'aitana', 150, null),
  ('demo', 'Ximo Roca', '+34611000013', 'ximo.roca@correo.example', 'portal', 'qualified', 'hot', 2000, 3, 'Pla del Real', 'es', 'immediate', 'marc', 48, null),
  ('demo', 'Olga Sanchis', '+34611000014', 'olga.sanchis@correo.example', 'referral', null, null, null, null, null, 'es', null, 'lucia', 100, null),
  ('demo', 'Fernando Gisbert', '+34611000015', 'fernando.gisbert@correo.example', 'phone', 'qualified', 'cold', 310000, 3, 'Extramurs', 'es', 'later', 'aitana', 66, 'Ha vuelto a llamar después de perder el otro piso.'),
  ('demo', 'Irene Tortosa', '+34611000016', 'irene.tortosa@correo.example', 'whatsapp', 'qualified', 'warm', 1100, 2, 'Quatre Carreres', 'es', 'soon', 'marc', 58, null),
  ('demo', 'David Whitfield', '+447700900117', 'david.whitfield@mail.example', 'portal', 'qualified', 'warm', 430000, 2, 'Valencia', 'en', 'soon', 'aitana', 23, 'Cash buyer, comes over every other month.'),
  ('demo', 'Sophie Laurent', '+33639980118', 'sophie.laurent@mail.example', 'email', 'contacted', 'warm', 1500, 2, 'La Malvarrosa', 'en', 'soon', 'lucia', 38, 'Dejó de buscar para comprar; ahora alquila.'),
  ('demo', 'Miguel Ángel Cervera', '+34611000019', 'ma.cervera@correo.example', 'web', null, null, null, null, null, 'es', null, 'marc', 3, 'Pide valoración de un piso en Quart.'),
  ('demo', 'Pilar Domingo', '+34611000020', 'pilar.domingo@correo.example', 'walk_in', null, null, null, null, null, 'es', null, 'lucia', 210, 'Segundo intento de venta.'),
  ('demo', 'Raúl Benavent', '+34611000021', 'raul.benavent@correo.example', 'referral', 'qualified', 'hot', 350000, 4, 'Extramurs', 'es', 'immediate', 'lucia', 45, null),
  ('demo', 'Clara Mascarell', '+34611000022', 'clara.mascarell@correo.example', 'portal', 'new', 'warm', 800, 0, 'El Carmen', 'es', 'soon', 'marc', 2, null),
  ('demo', 'Amparo Estellés', '+34611000023', 'amparo.estelles@correo.example', 'phone', null, null, null, null, null, 'es', null, 'aitana', 145, null),
  ('demo', 'Iván Llopis', '+34611000024', 'ivan.llopis@correo.example', 'email', 'new', null, null, null, null, null, null, null, 1, null),
  ('demo', 'Yolanda Pardo', '+34611000025', 'yolanda.pardo@correo.example', 'portal', 'contacted', 'warm', 240000, 2, 'Alboraya', 'es', 'later', 'noa', 36, 'La llevaba Noa.'),
  ('demo', 'Aleksei Volkonin', '+34611000026', 'a.volkonin@mail.example', 'web', 'new', 'hot', 600000, 4, 'Valencia', 'en', 'immediate', 'lucia', 3, 'Pays at once, asks for the Gran Vía.'),
  ('costa-sur', 'Antonio Gálvez', '+34611000027', 'antonio.galvez@correo.example', 'referral', null, null, null, null, null, 'es', null, 'ines', 30, null),
  ('costa-sur', 'María José Alarcón', '+34611000028', 'mj.alarcon@correo.example', 'portal', 'qualified', 'hot', 395000, 3, 'Teatinos, Rincón de la Victoria', 'es', 'soon', 'rocio', 28, 'Vende en Churriana y busca algo mayor.'),
  ('costa-sur', 'Oliver Bennett', '+447700900129', 'oliver.bennett@mail.example', 'portal', 'qualified', 'hot', 620000, 4, 'Mijas', 'en', 'soon', 'daniel', 35, 'Rents until the villa is his.'),
  ('costa-sur', 'Greta Lindqvist', '+46701740630', 'greta.lindqvist@mail.example', 'referral', 'qualified', 'hot', 700000, 3, 'La Malagueta', 'en', 'immediate', 'daniel', 55, null),
  ('costa-sur', 'Salvador Montiel', '+34611000031', 'salvador.montiel@correo.example', 'web', 'qualified', 'hot', 1300, 2, 'Huelin', 'es', 'immediate', 'rocio', 130, 'Dejó la compra y alquila.'),
  ('costa-sur', 'Lucía Postigo', '+34611000032', 'lucia.postigo@correo.example', 'whatsapp', 'qualified', 'hot', 1000, 2, 'El Palo', 'es', 'immediate', 'rocio', 40, null),
  ('costa-sur', 'Kevin O''Rourke', '+447700900133', 'kevin.orourke@mail.example', 'phone', 'qualified', 'warm', 400000, 4, 'Rincón de la Victoria', 'en', 'soon', 'daniel', 52, 'Sells the penthouse, wants a house further east.'),
  ('costa-sur', 'Encarna Ruano', '+34611000034', 'encarna.ruano@correo.example', 'walk_in', 'qualified', 'warm', 180000, 2, 'Torremolinos', 'es', 'later', 'ines', 80, null),
  ('costa-sur', 'Julián Zafra', '+34611000035', 'julian.zafra@correo.example', 'phone', 'contacted', 'warm', 1150, 3, 'Cruz de Humilladero', 'es', 'soon', 'rocio', 120, null),
  ('costa-sur', 'Noelia Bravo', '+34611000036', 'noelia.bravo@correo.example', 'portal', 'qualified', 'hot', 340000, 2, 'Centro Histórico', 'es', 'immediate', 'ines', 110, null),
  ('costa-sur', 'Peter Van Dam', '+447700900137', 'peter.vandam@mail.example', 'portal', 'qualified', 'hot', 285000, 2, 'Nerja', 'en', 'immediate', 'daniel', 37, null),
  ('costa-sur', 'Cristina Heredia', '+34611000038', 'cristina.heredia@correo.example', 'web', 'qualified', 'warm', 900, 1, 'Centro Histórico', 'es', 'soon', 'rocio', 85, null),
  ('costa-sur', 'Adrián Fajardo Luque', '+34611000039', 'adrian.fajardo@correo.example', 'web', 'new', null, 300000, 3, 'Teatinos', 'es', null, null, 1, null),
  ('costa-sur', 'Adrian Fajardo Luque', '+34611000040', 'afajardo@trabajo.example', 'portal', 'contacted', 'warm', 1200, 3, 'Málaga', 'es', 'soon', 'rocio', 4, null)
) v (agency, full_name, phone, email, origin, lead_status, temperature, budget_max, bedrooms_min, zone, language, urgency, agent, days, notes);

insert into public.contacts (agency_id, id, full_name, phone, email, created_at)
select agency_id, contact_id, full_name, phone, email, came_at from demo_lead;
update public.contacts set birth_date = '1964-03-12', nationality = 'RU' where id = pg_temp.id('contact Aleksei Volkonin');

insert into public.leads (
  agency_id, id, contact_id, full_name, phone, email, origin, lead_status, temperature, budget_max, bedrooms_min, zone, language,
  urgency, notes, assigned_agent_id, created_at)
select d.agency_id, d.lead_id, d.contact_id, d.full_name, d.phone, d.email, d.origin, d.lead_status, d.temperature, d.budget_max,
  d.bedrooms_min, d.zone, d.language, d.urgency, d.notes, a.id, d.came_at
from demo_lead d
left join public.agents a on a.agency_id = d.agency_id and split_part(a.email, '@', 1) = d.agent;

update public.agents a set last_assigned_at = l.last
from (select assigned_agent_id, max(created_at) as last from public.leads group by 1) l
where a.id = l.assigned_agent_id;

insert into public.messages (agency_id, id, lead_id, direction, channel, subject, body, created_at)
select d.agency_id, pg_temp.id('message ' || v.body), d.lead_id, v.direction, v.channel, v.subject, v.body, now() - v.age
from demo_lead d join (values
  ('Carmen Ortiz', 'inbound', 'email', 'Piso de la calle Sueca', 'Hola, vi el piso el sábado y nos encantó. ¿El propietario aceptaría 265.000 €?', interval '9 days'),
  ('Carmen Ortiz', 'outbound', 'email', 'Re: Piso de la calle Sueca', 'Hola, Carmen: no ha aceptado, pero está dispuesto a negociar. ¿La llamo mañana?', interval '8 days'),
  ('Javier Molina', 'inbound', 'whatsapp', null, 'Buenas, ¿sigue en pie la visita de Blasco Ibáñez? ¿Se puede aparcar cerca?', interval '5 hours'),
  ('Marta Ibáñez', 'outbound', 'phone', null, 'Prefiere las mañanas. Le interesa el ático si baja de 410.000.', interval '2 days'),
  ('David Whitfield', 'inbound', 'email', 'Missed viewing', 'Sorry, my flight was cancelled. Could we find another date for the penthouse?', interval '10 days'),
  ('Tomás Escrivá', 'inbound', 'phone', null, 'Ha recibido la oferta de 500.000 y la consulta con su mujer.', interval '1 day'),
  ('Oliver Bennett', 'inbound', 'email', 'Offer for the villa', 'We are happy to sign within the month if the owners take 590,000.', interval '6 hours'),
  ('Greta Lindqvist', 'outbound', 'email', 'Notary', 'The notary confirmed Thursday at 12:00. Please bring your NIE.', interval '1 day'),
  ('Salvador Montiel', 'outbound', 'whatsapp', null, 'Salvador, en cuanto entre la fianza te damos las llaves.', interval '4 days'),
  ('Kevin O''Rourke', 'inbound', 'whatsapp', null, 'We loved the garden, but the kids need to see the schools first.', interval '5 days')
) v (full_name, direction, channel, subject, body, age) using (full_name);

-- An invented list with one name on it, and the screen that each lead begins with, resolved as the minute job does.
do $$
declare
  claim jsonb;
begin
  perform private.open_sanctions_list();
  insert into sanctions_incoming (id, schema, name, aliases, birth_dates, countries, sanctions, datasets)
  values ('INV-001', 'Person', 'Aleksei Borisovich Volkonin', '{Alexey Volkonin}', '{1964-03-12}', '{ru,cy}',
    'Invented Programme A', '{Invented List of Asset Freezes}');
  perform private.swap_sanctions_list('demo list');
  insert into public.sanctions_screens (agency_id, id, lead_id, contact_id, created_at)
  select agency_id, pg_temp.id('screen ' || full_name), lead_id, contact_id, came_at from demo_lead;
  claim := private.intake_claim(100);
  perform private.intake_screen((claim ->> 'claim_id')::uuid, array(select (j ->> 'id')::uuid from jsonb_array_elements(claim -> 'jobs') j));
end
$$;

-- Two mails that nobody has read: the intake qualifies them within a minute.
insert into public.messages (agency_id, id, lead_id, direction, channel, subject, body, qualification_status, created_at)
select d.agency_id, pg_temp.id('mail ' || full_name), d.lead_id, 'inbound', 'email', v.subject, v.body, 'pending', d.came_at
from demo_lead d join (values
  ('Emma Clarke', 'House near the beach', E'Hello,\n\nMy husband and I are looking for a house with at least 3 bedrooms in El Cabanyal or Alboraya. We can spend up to 450,000 euros and would like to move before the summer.\n\nKind regards,\nEmma'),
  ('Iván Llopis', 'Nuevo mensaje de Iván Llopis sobre tu inmueble VLC-006', E'idealista\nHas recibido un mensaje\nPiso en venta en Benimaclet, Valencia\n214.000 €\nMensaje:\nHola, me interesa el piso. Mi presupuesto máximo es de 205.000 euros y necesito 3 habitaciones cuanto antes.\n\nResponder')
) v (full_name, subject, body) using (full_name);
