import { z } from "zod";
import {
  amount,
  asWritten,
  clearable,
  flag,
  id,
  line,
  moment,
  optional,
  text,
  textOrNull,
  words,
  wordsOrMissing,
} from "./fields.ts";
import { Operation, OperationType } from "./operations.ts";
import { page } from "./pages.ts";

export const Origin = z
  .enum(["email", "web", "portal", "phone", "walk_in", "referral", "whatsapp", "api", "other"])
  .describe("Where the lead came from; email if a mailbox automation forwarded it.");
export const Temperature = z
  .enum(["hot", "warm", "cold"])
  .describe("How likely the lead is to close.");
export const LeadStatus = z
  .enum(["new", "contacted", "qualified", "unqualified"])
  .describe("How far the lead has been qualified; listing leads (sellers) have no status.");
export const Urgency = z
  .enum(["immediate", "soon", "later"])
  .describe("How soon the person wants to move: within a month, within some months, or later.");
export const Language = z
  .string()
  .regex(/^[a-z]{2}$/, "must be an ISO 639-1 code")
  .describe("The language the person writes in, ISO 639-1.");

/** The operations that a lead may be created with; `sell` is refused with its own reason. */
export const LeadOperationType = text(100).refine((type) => type !== "sell", {
  error: "sell is not allowed here; a listing lead comes from the application",
  params: { reason: "operation_type_not_allowed" },
});

const bedroomsMin = z.int().min(0).max(50);

export const ListLeadsQuery = z
  .strictObject({
    temperature: Temperature.optional().describe("Only leads of this temperature."),
    origin: Origin.optional().describe("Only leads of this origin."),
    email: text(500)
      .optional()
      .describe("Only leads with this e-mail address, in any letter case."),
    assigned_agent_id: id.optional().describe("Only leads of this agent."),
    include_archived: flag.optional().describe("true also lists archived leads."),
    ...page,
  })
  .describe("Which leads to list.");

export const CreateLead = z
  .strictObject({
    full_name: words(200).describe("The person's name."),
    phone: optional(asWritten).describe(
      "The person's phone, however it is written; without a country code, the agency's country is assumed. Matches a contact if it can be read, and is kept as sent if not.",
    ),
    email: optional(asWritten).describe(
      "The person's e-mail address. Matches a contact if it is valid, and is kept as sent if not.",
    ),
    origin: optional(Origin).describe("Where the lead came from; other by default."),
    operation_type: optional(LeadOperationType.meta({ enum: ["buy", "rent"] })).describe(
      "The operation to open with the lead, buy or rent; left out, none is opened.",
    ),
    budget_max: optional(amount).describe(
      "The most the person would pay: a price or a monthly rent, with at most 2 decimals.",
    ),
    bedrooms_min: optional(bedroomsMin).describe(
      "The fewest bedrooms the person accepts: 0 to 50.",
    ),
    intent: optional(text(500)).describe("What the person wants, in a few words."),
    notes: optional(text(10_000)).describe("Free text."),
    email_subject: optional(text(1_000)).describe(
      "Subject of a forwarded mail; not stored on the lead.",
    ),
    email_body: optional(text(100_000)).describe(
      "Text of a forwarded mail, from which the lead is qualified.",
    ),
  })
  .describe("A new lead.");

export const UpdateLead = z
  .strictObject({
    full_name: words(200).optional().describe("The person's name."),
    phone: clearable(asWritten).describe(
      "The person's phone, however it is written; null or blank clears it.",
    ),
    email: clearable(asWritten).describe("The person's e-mail address; null or blank clears it."),
    origin: Origin.optional().describe("Where the lead came from."),
    budget_max: clearable(amount).describe("The most the person would pay; null clears it."),
    bedrooms_min: clearable(bedroomsMin).describe(
      "The fewest bedrooms the person accepts; null clears it.",
    ),
    intent: clearable(text(500)).describe("What the person wants; null clears it."),
    zone: clearable(words(200)).describe("Where the person looks; null clears it."),
    language: clearable(Language).describe("The person's language; null clears it."),
    urgency: clearable(Urgency).describe("How soon the person wants to move; null clears it."),
    summary: clearable(line(300)).describe("The wishes in one line; null clears it."),
    notes: clearable(text(10_000)).describe("Free text; null clears it."),
    temperature: clearable(Temperature).describe(
      "How likely the lead is to close; null clears it.",
    ),
    lead_status: clearable(LeadStatus).describe(
      "How far the lead has been qualified; null clears it.",
    ),
    assigned_agent_id: clearable(id).describe("The agent who looks after it; null for none."),
  })
  .describe("A change to a lead; members left out stay as they are.");

const archiveReason = wordsOrMissing(1000).describe(
  "Why the lead is archived; archived_via_api by default.",
);
export const ArchiveLeadQuery = z
  .strictObject({ reason: archiveReason })
  .describe("The reason as a query parameter.");
export const ArchiveLead = z
  .strictObject({ archive_reason: archiveReason })
  .describe("The reason as a body.");

export const Lead = z
  .strictObject({
    id: id.describe("Identifier of the lead."),
    contact_id: id.describe("The person; leads with the same e-mail address or phone share it."),
    full_name: z.string().describe("The person's name as given with this lead."),
    phone: textOrNull.describe(
      "The phone in E.164, or the first 500 characters as sent if it could not be read.",
    ),
    phone_e164: textOrNull.describe("The phone in E.164; null if it could not be read."),
    email: textOrNull.describe(
      "The e-mail address, trimmed and in lower case, or the first 500 characters as sent if it is not valid.",
    ),
    email_is_valid: z
      .boolean()
      .nullable()
      .describe("Whether the e-mail address is valid; null without one."),
    origin: Origin,
    operation_id: id
      .nullable()
      .describe("The operation opened together with the lead, if one was."),
    lead_status: LeadStatus.nullable().describe(
      "How far the lead has been qualified; null for a listing lead (a seller).",
    ),
    temperature: Temperature.nullable().describe(
      "How likely the lead is to close; null until qualified.",
    ),
    intent: textOrNull.describe("What the person wants, in a few words."),
    budget_max: z.number().nullable().describe("The most the person would pay."),
    bedrooms_min: z.int().nullable().describe("The fewest bedrooms the person accepts."),
    zone: textOrNull.describe(
      "Where the person looks: towns and neighbourhoods, separated by commas.",
    ),
    language: textOrNull.describe("The language the person writes in, ISO 639-1."),
    urgency: Urgency.nullable().describe("How soon the person wants to move; null if unknown."),
    summary: textOrNull.describe("The wishes in one line."),
    notes: textOrNull.describe("Free text."),
    assigned_agent_id: id.nullable().describe("The agent who looks after it."),
    sanctions_status: z
      .enum(["pending", "clear", "possible_match", "error"])
      .nullable()
      .describe("Result of the last sanctions screen; null before the first."),
    archived_at: moment.nullable().describe("When it was archived; null unless it was."),
    archive_reason: textOrNull.describe("Why it was archived."),
    created_at: moment.describe("When it came in."),
    updated_at: moment.describe("When it last changed."),
  })
  .describe("A person's interest in buying, renting or selling.");

/** One of a person's other deals, in the answer to a new lead. */
export const OpenOperation = z
  .strictObject({
    id: id.describe("Identifier of the operation."),
    lead_id: Operation.shape.lead_id,
    operation_type: OperationType,
    stage: Operation.shape.stage,
    stage_label: Operation.shape.stage_label,
    assigned_agent_id: Operation.shape.assigned_agent_id,
  })
  .describe("An open operation of a person.");

export const CreatedLead = Lead.extend({
  known_contact: z
    .boolean()
    .describe(
      "Whether the agency already knew the person; if so, the lead goes to the agent who looks after them.",
    ),
  open_operations: z
    .array(OpenOperation)
    .nullable()
    .describe(
      "The person's operations that were already open, newest first; null without the permission operations:read.",
    ),
}).describe("A new lead, and what the agency already knew about the person.");
