create view public.possible_sanctions_matches with (security_invoker = true) as
select
  l.full_name as client,
  g.name as agent,
  entry.value ->> 'name' as listed_as,
  x.score,
  x.resolution,
  person.birth_date,
  entry.value -> 'birth_dates' as listed_birth_dates,
  person.country as nationality,
  entry.value -> 'countries' as listed_countries,
  entry.value ->> 'sanctions' as sanctions,
  jsonb_array_length(x.entries) as candidates,
  floor(extract(epoch from now() - x.created_at) / 86400)::int as days_waiting,
  x.resolution_by,
  a.name as agency,
  x.created_at as since,
  x.source,
  x.id as screen_id,
  x.lead_id,
  x.agency_id
from public.sanctions_screens x
join public.agencies a on a.id = x.agency_id
join public.leads l on l.agency_id = x.agency_id and l.id = x.lead_id
cross join lateral private.screened_person(x) as person
left join public.agents g on g.agency_id = l.agency_id and g.id = l.assigned_agent_id
-- The entry most like the person; the others are in the screen.
cross join lateral (select x.entries -> 0 as value) entry
where x.status = 'possible_match' and private.result_counts(x)
order by x.resolution is not null, x.created_at;

comment on view public.possible_sanctions_matches is 'People who may be on a sanctions list, by the last result of each lead; those that nobody has decided about first. Decide with select admin.resolve_sanctions_match(screen_id, ''cleared'' or ''confirmed'', reason).';
comment on column public.possible_sanctions_matches.client is 'The person as the lead names them now.';
comment on column public.possible_sanctions_matches.agent is 'The agent who looks after the lead.';
comment on column public.possible_sanctions_matches.listed_as is 'The listed name of the entry most like the person.';
comment on column public.possible_sanctions_matches.score is 'How much the person resembles that entry, 0 to 1.';
comment on column public.possible_sanctions_matches.resolution is 'Null until somebody decides; confirmed when it is them. Cleared ones are no longer listed.';
comment on column public.possible_sanctions_matches.birth_date is 'The person''s birth date, where the agency knows it of somebody of that name.';
comment on column public.possible_sanctions_matches.listed_birth_dates is 'The entry''s birth dates: a year, a month or a day each.';
comment on column public.possible_sanctions_matches.nationality is 'The person''s nationality, where the agency knows it of somebody of that name.';
comment on column public.possible_sanctions_matches.listed_countries is 'Countries the entry belongs to.';
comment on column public.possible_sanctions_matches.sanctions is 'The programmes and lists that name the entry.';
comment on column public.possible_sanctions_matches.candidates is 'How many entries may be the person; all are in sanctions_screens.entries.';
comment on column public.possible_sanctions_matches.days_waiting is 'For how many whole days the match has been known.';
comment on column public.possible_sanctions_matches.resolution_by is 'Who confirmed it.';
comment on column public.possible_sanctions_matches.agency is 'The agency.';
comment on column public.possible_sanctions_matches.since is 'When the person was screened.';
comment on column public.possible_sanctions_matches.source is 'What they were screened against: list, or the host of a match service.';
comment on column public.possible_sanctions_matches.screen_id is 'The screen, as in sanctions_screens.id; admin.resolve_sanctions_match takes it.';
comment on column public.possible_sanctions_matches.lead_id is 'The lead, as in leads.id.';
comment on column public.possible_sanctions_matches.agency_id is 'The agency, as in agencies.id.';
