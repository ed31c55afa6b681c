create function private.next_action(lead public.leads, caller private.principal) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  task private.task;
  why text;
begin
  -- What a person waits for comes before what only moves the deal on; of two alike, the one that is due first.
  select t.* into task from private.open_tasks(lead.agency_id, caller.permissions, array[lead.id]) t
  order by array_position(array[
      'review_sanctions', 'answer_message', 'close_viewing', 'prepare_viewing', 'pending_step', 'advance_stage',
      'contact_lead'], t.kind), t.due_at
  limit 1;
  if task.kind is not null then
    return private.task_json(task, caller) || jsonb_build_object('why', null, 'archive_reason', null);
  end if;
  why := case
    when lead.archived_at is not null then 'archived'
    when not 'operations:read' = any (caller.permissions) then 'operations_hidden'
    when exists (
      select from public.operations o
      where o.agency_id = lead.agency_id and o.lead_id = lead.id and o.closed_at is null) then 'viewing_arranged'
    when lead.lead_status = 'unqualified' then 'unqualified'
    else 'no_open_operation' end;
  task.kind := case why when 'viewing_arranged' then 'wait' when 'no_open_operation' then 'open_operation' else 'none' end;
  task.turn := 'agency';
  task.lead_id := lead.id;
  task.agent_id := lead.assigned_agent_id;
  return private.task_json(task, caller)
    || jsonb_build_object('why', why, 'archive_reason', lead.archive_reason, 'is_overdue', false);
end
$$;
comment on function private.next_action(public.leads, private.principal) is
  'The one thing to do next for a lead, as private.task_json shows it. Where nothing waits, why says so: archived, viewing_arranged, unqualified, no_open_operation, or operations_hidden from a caller without operations:read.';
