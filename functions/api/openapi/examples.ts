import type { z } from "zod";
import type { Agent } from "../../../types/contracts/agents.ts";
import type { Document, Upload } from "../../../types/contracts/documents.ts";
import type { Hook } from "../../../types/contracts/hooks.ts";
import type { Lead } from "../../../types/contracts/leads.ts";
import type { Offer, PublicOffer } from "../../../types/contracts/offers.ts";
import type { Operation } from "../../../types/contracts/operations.ts";
import type { Property } from "../../../types/contracts/properties.ts";
import type { Signature } from "../../../types/contracts/signatures.ts";
import type { Viewing } from "../../../types/contracts/viewings.ts";

// One story: Carmen Ruiz writes through a portal, sees a flat in Ruzafa with Lucía Ferrer, and buys it.

export const ids = {
  agent: "0c9a3f7e-52d1-4b8a-9e64-1f2d3c4b5a60",
  contact: "4a1f8c2d-7b3e-4f59-8d16-a2b3c4d5e6f7",
  lead: "7f0e2b9c-1a4d-4c6e-b582-3d4e5f607182",
  operation: "b3d5f791-2c4e-4a6b-8d0f-1e3c5a7b9d2f",
  property: "e81c4d60-9f2a-4b37-a5c8-6d7e8f901234",
  viewing: "15b6a7c8-d9e0-4f12-8a34-5b6c7d8e9f01",
  offer: "c2d4e6f8-0a1b-4c3d-9e5f-70819a2b3c4d",
  document: "9e8d7c6b-5a49-4837-b625-14f3e2d1c0b9",
  signature: "36f2a1b0-c9d8-4e7f-a6b5-c4d3e2f10987",
  hook: "d7c6b5a4-9382-4716-a504-f3e2d1c0b9a8",
};

export const agent: z.output<typeof Agent> = {
  id: ids.agent,
  name: "Lucía Ferrer",
  role: "agent",
  active: true,
  accepts_leads: true,
  created_at: "2026-01-12T09:00:00+00:00",
};

export const lead: z.output<typeof Lead> = {
  id: ids.lead,
  contact_id: ids.contact,
  full_name: "Carmen Ruiz",
  phone: "+34600123456",
  phone_e164: "+34600123456",
  email: "carmen.ruiz@correo.example",
  email_is_valid: true,
  origin: "email",
  operation_id: ids.operation,
  lead_status: "qualified",
  temperature: "hot",
  intent: "buy",
  budget_max: 290000,
  bedrooms_min: 3,
  zone: "Ruzafa",
  language: "es",
  urgency: "immediate",
  summary: "Busca piso de 3 habitaciones en Ruzafa, hasta 290.000 €, cuanto antes.",
  notes: null,
  assigned_agent_id: ids.agent,
  sanctions_status: "clear",
  archived_at: null,
  archive_reason: null,
  created_at: "2026-05-04T08:15:30.123456+00:00",
  updated_at: "2026-05-04T08:15:42.654321+00:00",
};

export const operation: z.output<typeof Operation> = {
  id: ids.operation,
  lead_id: ids.lead,
  property_id: ids.property,
  operation_type: "buy",
  flow: "buy",
  stage: "viewings",
  stage_label: "Visitas",
  is_terminal: false,
  pending_actions: [{ id: "propiedadesVisitadas", label: "Propiedades visitadas" }],
  lost_reason: null,
  assigned_agent_id: ids.agent,
  deposit_paid_at: null,
  won_at: null,
  closed_at: null,
  created_at: "2026-05-04T08:15:30.123456+00:00",
  updated_at: "2026-05-06T16:40:00+00:00",
};

export const wonOperation: z.output<typeof Operation> = {
  ...operation,
  stage: "won",
  stage_label: "Ganada",
  is_terminal: true,
  pending_actions: [],
  won_at: "2026-07-15T11:00:00+00:00",
  closed_at: "2026-07-15T11:00:00+00:00",
  updated_at: "2026-07-15T11:00:00+00:00",
};

export const property: z.output<typeof Property> = {
  id: ids.property,
  reference: "VLC-0412",
  title: "Piso reformado con balcón en Ruzafa",
  listing_type: "sale",
  status: "available",
  property_type: "flat",
  price: 289000,
  bedrooms: 3,
  bathrooms: 2,
  area_m2: 98,
  street: "Calle Sueca 21",
  zone: "Ruzafa",
  city: "Valencia",
  postal_code: "46006",
  description: "Exterior, con ascensor, a cinco minutos del mercado.",
  owner_lead_id: null,
  created_at: "2026-03-02T10:00:00+00:00",
  updated_at: "2026-03-02T10:00:00+00:00",
};

export const viewing: z.output<typeof Viewing> = {
  id: ids.viewing,
  property_id: ids.property,
  lead_id: ids.lead,
  operation_id: ids.operation,
  agent_id: ids.agent,
  starts_at: "2026-05-07T15:30:00+00:00",
  ends_at: "2026-05-07T16:15:00+00:00",
  status: "scheduled",
  notes: "Llaves en portería.",
  created_at: "2026-05-05T09:20:00+00:00",
  updated_at: "2026-05-05T09:20:00+00:00",
};

export const offer: z.output<typeof Offer> = {
  id: ids.offer,
  operation_id: ids.operation,
  lead_id: ids.lead,
  property_id: ids.property,
  amount: 280000,
  currency: "EUR",
  offer_type: "sale",
  notes: "Sujeta a financiación.",
  status: "received",
  public_token: "4f1c2a9b7d3e5f608192a3b4c5d6e7f8091a2b3c4d5e6f70",
  accepted_at: null,
  created_at: "2026-05-11T10:05:00+00:00",
  updated_at: "2026-05-11T10:05:00+00:00",
};

export const acceptedOffer: z.output<typeof Offer> = {
  ...offer,
  status: "accepted",
  accepted_at: "2026-05-13T17:30:00+00:00",
  updated_at: "2026-05-13T17:30:00+00:00",
};

export const publicOffer: z.output<typeof PublicOffer> = {
  amount: 280000,
  currency: "EUR",
  offer_type: "sale",
  status: "received",
  created_at: "2026-05-11T10:05:00+00:00",
  property: { title: "Piso reformado con balcón en Ruzafa", zone: "Ruzafa", city: "Valencia" },
  agency: { name: "Inmobiliaria Turia" },
};

export const document: z.output<typeof Document> = {
  id: ids.document,
  operation_id: ids.operation,
  lead_id: ids.lead,
  property_id: null,
  kind: "reservation",
  name: "Contrato de arras",
  status: "requested",
  completed_at: null,
  content_type: "application/pdf",
  size_bytes: 184320,
  uploaded_at: null,
  created_at: "2026-05-14T09:00:00+00:00",
  updated_at: "2026-05-14T09:00:00+00:00",
};

export const receivedDocument: z.output<typeof Document> = {
  ...document,
  status: "received",
  completed_at: "2026-05-14T09:02:00+00:00",
  uploaded_at: "2026-05-14T09:02:00+00:00",
  updated_at: "2026-05-14T09:02:00+00:00",
};

export const upload: z.output<typeof Upload> = {
  method: "PUT",
  url: "https://storage.example/storage/v1/object/upload/sign/documents/contrato-de-arras.pdf?token=eyJ0eXAi",
  headers: { "content-type": "application/pdf" },
  expires_at: "2026-05-14T11:00:00.000Z",
};

export const signature: z.output<typeof Signature> = {
  id: ids.signature,
  operation_id: ids.operation,
  document_id: ids.document,
  signer_name: "Carmen Ruiz",
  signer_email: "carmen.ruiz@correo.example",
  status: "sent",
  signed_at: null,
  created_at: "2026-05-14T09:10:00+00:00",
  updated_at: "2026-05-14T09:10:00+00:00",
};

export const signedSignature: z.output<typeof Signature> = {
  ...signature,
  status: "signed",
  signed_at: "2026-05-15T18:45:00+00:00",
  updated_at: "2026-05-15T18:45:00+00:00",
};

export const hook: z.output<typeof Hook> = {
  id: ids.hook,
  event_type: "deal_won",
  target_url: "https://automatiza.example/corredor/deal-won",
  created_at: "2026-04-01T07:00:00+00:00",
};

/** The last page of a list. */
export function listed(...rows: object[]) {
  return { data: rows, next_cursor: null };
}

/** A page that another one follows. */
export function firstOf(row: object) {
  return {
    data: [row],
    next_cursor: "MTc3Nzg4MjUzMDEyMzQ1Ni43ZjBlMmI5Yy0xYTRkLTRjNmUtYjU4Mi0zZDRlNWY2MDcxODI",
  };
}
