import { firstOf, lead } from "../examples.ts";
import { type Chapter, describeGet, describeList } from "../prose.ts";

export const leads: Chapter = {
  listLeads: describeList(
    "leads",
    "The agency's leads, newest first, without archived ones unless `include_archived=true`. To count supply, filter operations by `operation_type=sell`: listing leads (sellers) have no `lead_status`.",
    firstOf(lead),
  ),
  getLead: describeGet("a lead", "One lead, archived or not.", lead),
  createLead: {
    summary: "Create a lead",
    description:
      "In one transaction, the contact is matched by e-mail or phone, or created; the lead is stored and assigned to the agent who looks after the contact, or to the next in turn; with `operation_type` an operation is opened (otherwise `operation_id` is null); and a sanctions screen is started. A forwarded mail (`email_body`, or `notes` when `origin` is email) is read in the background to fill in blank members.\n\nNo lead is refused for how its phone or e-mail is written: `phone_e164` and `email_is_valid` show what could be read, and only that matches a contact. `known_contact` and `open_operations` show whether the agency already knew the person.",
    sends: {
      "A mail forwarded by a mailbox automation": {
        full_name: "Carmen Ruiz",
        phone: "600 123 456",
        email: "carmen.ruiz@correo.example",
        origin: "email",
        operation_type: "buy",
        email_subject: "Nuevo mensaje de Carmen Ruiz sobre tu inmueble",
        email_body:
          "Hola, me gusta el piso de Ruzafa, pero mi presupuesto máximo es de 290.000 euros. Necesito 3 habitaciones cuanto antes.",
      },
      "A website form": {
        full_name: "Pau Serra",
        phone: "+34 611 22 33 44",
        origin: "web",
        operation_type: "rent",
        budget_max: 1200,
        bedrooms_min: 2,
        notes: "Busca a partir de septiembre.",
      },
      "The minimum": { full_name: "Nuria Campos" },
    },
    gives: {
      201: ["The new lead.", { data: { ...lead, known_contact: false, open_operations: [] } }],
    },
    refuses: { operation_type_not_allowed: "operation_type" },
  },
  updateLead: {
    summary: "Change a lead",
    description:
      "Members left out stay as they are; null clears a member. The lead's contact and operation do not change.",
    sends: {
      "Another agent, and what a call made clear": {
        assigned_agent_id: lead.assigned_agent_id,
        temperature: "warm",
        lead_status: "contacted",
        budget_max: 300000,
      },
    },
    gives: { 200: ["The changed lead.", { data: { ...lead, temperature: "warm" } }] },
    refuses: { nothing_to_change: "body", unknown_reference: "assigned_agent_id" },
  },
  archiveLead: {
    summary: "Archive a lead",
    description:
      "A lead is never deleted: it gets `archived_at` and `archive_reason`. Archiving it again changes neither. Send the reason in the query or in the body; if in both, it must be the same.",
    sends: { "Why it is archived": { archive_reason: "Compró con otra agencia" } },
    gives: {
      200: [
        "The archived lead.",
        {
          data: {
            ...lead,
            archived_at: "2026-06-01T10:00:00+00:00",
            archive_reason: "Compró con otra agencia",
          },
        },
      ],
    },
  },
};
