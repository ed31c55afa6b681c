import { randomUUID } from "node:crypto";
import { ids } from "../../../functions/api/openapi/examples.ts";
import type { TestStack } from "../../stack/harness.ts";
import {
  createAgency,
  createAgent,
  createKey,
  createLead,
  createOperation,
  createProperty,
  type TestAgency,
  tickStep,
} from "../agency.ts";
import type { Answer } from "../client.ts";

const FILE = "%PDF-1.7 hola";

/** An agency in which everything is there that the description's examples name. */
export class World {
  readonly stack: TestStack;
  readonly agency: TestAgency;
  readonly lead: string;
  readonly operation: string;
  readonly property: string;
  readonly agent: string;
  readonly document: string;
  #days = 0;

  private constructor(
    stack: TestStack,
    agency: TestAgency,
    there: Pick<World, "lead" | "operation" | "property" | "agent" | "document">,
  ) {
    this.stack = stack;
    this.agency = agency;
    this.lead = there.lead;
    this.operation = there.operation;
    this.property = there.property;
    this.agent = there.agent;
    this.document = there.document;
  }

  static async open(stack: TestStack): Promise<World> {
    const agency = await createAgency(stack);
    const agent = await createAgent(stack, agency.id);
    const property = await createProperty(stack, agency.id);
    const { client } = agency;
    const operation = await createOperation(agency, "buy", "viewings");
    await client.patch(`/operations/${operation}`, { property_id: property });
    const lead = (await client.get(`/operations/${operation}`)).body.data.lead_id;
    const asked = await client.post("/documents", { operation_id: operation });
    return new World(stack, agency, {
      lead,
      operation,
      property,
      agent,
      document: asked.body.data.id,
    });
  }

  /** An example of the description with the identifiers of this agency, on a day when nothing is arranged yet. */
  localized(example: unknown): unknown {
    const own = {
      lead: this.lead,
      operation: this.operation,
      property: this.property,
      agent: this.agent,
      document: this.document,
    };
    let json = JSON.stringify(example);
    for (const [name, id] of Object.entries(own)) {
      json = json.replaceAll(ids[name as keyof typeof own], id);
    }
    return JSON.parse(json.replace(/2026-05-\d\d(?=T)/g, () => this.#freeDay()));
  }

  async #created(path: string, body: object): Promise<Answer["body"]> {
    const answer = await this.agency.client.post(path, body);
    if (answer.status > 201) throw new Error(`POST ${path} answered ${answer.text}`);
    return answer.body;
  }

  #freeDay(): string {
    this.#days += 1;
    return new Date(Date.UTC(2030, 0, this.#days)).toISOString().slice(0, 10);
  }

  async viewing(): Promise<string> {
    const starts_at = `${this.#freeDay()}T10:00`;
    const body = { lead_id: this.lead, property_id: this.property, starts_at };
    return (await this.#created("/viewings", body)).data.id;
  }

  /** A viewing whose time has come, which nobody has said anything of. */
  async pastViewing(): Promise<string> {
    const id = await this.viewing();
    await this.stack.sql`
      update public.viewings set starts_at = starts_at - interval '10 years', ends_at = ends_at - interval '10 years'
      where id = ${id}`;
    return id;
  }

  /** An operation in the stage viewings. Its visits are done, and it waits for a favourite. */
  async visited(): Promise<string> {
    const id = await createOperation(this.agency, "buy", "viewings");
    await tickStep(this.stack, id, "propiedadesVisitadas");
    await this.stack.sql`
      update public.operations set property_id = ${this.property} where id = ${id}`;
    return id;
  }

  async closed(): Promise<string> {
    const id = await createOperation(this.agency, "buy");
    await this.agency.client.patch(`/operations/${id}`, { stage: "cancelled" });
    return id;
  }

  /** A rental at its last stage, with the deposit unpaid. */
  async unpaid(): Promise<string> {
    return createOperation(this.agency, "rent", "handover");
  }

  async offer(): Promise<Answer["body"]> {
    const body = { operation_id: this.operation, property_id: this.property, amount: 100 };
    return (await this.#created("/offers", body)).data;
  }

  async askedDocument(): Promise<string> {
    return (await this.#created("/documents", { operation_id: this.operation })).data.id;
  }

  /** A document whose file is there. */
  async receivedDocument(): Promise<string> {
    const { data, upload } = await this.#created("/documents", {
      operation_id: this.operation,
      content_type: "application/pdf",
      size_bytes: FILE.length,
    });
    await fetch(upload.url, { method: "PUT", headers: upload.headers, body: FILE });
    return data.id;
  }

  async signature(): Promise<string> {
    return (await this.#created("/signatures", { document_id: this.document })).data.id;
  }

  async hook(): Promise<string> {
    const target_url = `https://example.com/${randomUUID()}`;
    return (await this.#created("/hooks", { event_type: "deal_won", target_url })).id;
  }

  newLead(): Promise<string> {
    return createLead(this.agency);
  }

  /** A key of the agency that may do nothing, or that is spent after its first request. */
  key(options: { permissions?: string[]; requestsPerMinute?: number }): Promise<string> {
    return createKey(this.stack, this.agency.id, options);
  }
}

/** For each operation of the description, a path that it can be called at with success. */
export const PATHS: Record<string, (world: World) => string | Promise<string>> = {
  listAgents: () => "/agents",
  getAgent: ({ agent }) => `/agents/${agent}`,
  listDocuments: () => "/documents",
  getDocument: ({ document }) => `/documents/${document}`,
  downloadDocument: async (world) => `/documents/${await world.receivedDocument()}/download`,
  createDocument: () => "/documents",
  createDocumentUpload: async (world) => `/documents/${await world.askedDocument()}/upload`,
  updateDocument: async (world) => `/documents/${await world.askedDocument()}`,
  listFlows: () => "/flows",
  getHealth: () => "/health",
  getDescription: () => "/openapi.json",
  listHooks: () => "/hooks",
  sampleHook: () => "/hooks/sample?event_type=document_completed",
  createHook: () => "/hooks",
  deleteHook: async (world) => `/hooks/${await world.hook()}`,
  listLeads: () => "/leads",
  getLead: ({ lead }) => `/leads/${lead}`,
  createLead: () => "/leads",
  updateLead: async (world) => `/leads/${await world.newLead()}`,
  archiveLead: async (world) => `/leads/${await world.newLead()}`,
  listOffers: () => "/offers",
  getOffer: async (world) => `/offers/${(await world.offer()).id}`,
  getPublicOffer: async (world) => `/offers/public/${(await world.offer()).public_token}`,
  createOffer: () => "/offers",
  createOfferLink: async (world) => `/offers/${(await world.offer()).id}/link`,
  listOperations: () => "/operations",
  getOperation: ({ operation }) => `/operations/${operation}`,
  createOperation: () => "/operations",
  updateOperation: async (world) => `/operations/${await world.visited()}`,
  listProperties: () => "/properties",
  getProperty: ({ property }) => `/properties/${property}`,
  listSignatures: () => "/signatures",
  getSignature: async (world) => `/signatures/${await world.signature()}`,
  createSignature: () => "/signatures",
  updateSignature: async (world) => `/signatures/${await world.signature()}`,
  listViewings: () => "/viewings",
  getViewing: async (world) => `/viewings/${await world.viewing()}`,
  createViewing: () => "/viewings",
  updateViewing: async (world) => `/viewings/${await world.pastViewing()}`,
};
