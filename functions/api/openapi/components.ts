import type { ZodOpenApiComponentsObject } from "zod-openapi";
import { Agent } from "../../../types/contracts/agents.ts";
import {
  Document,
  DocumentKind,
  DocumentStatus,
  DocumentType,
  DocumentWithUpload,
  Download,
  Upload,
} from "../../../types/contracts/documents.ts";
import {
  ErrorAnswer,
  ErrorCode,
  Issue,
  PendingAction,
  ValidationReason,
} from "../../../types/contracts/errors.ts";
import { Flow } from "../../../types/contracts/flows.ts";
import { Health } from "../../../types/contracts/health.ts";
import { CreatedHook, EventType, Hook } from "../../../types/contracts/hooks.ts";
import { Lead, LeadStatus, Origin, Temperature, Urgency } from "../../../types/contracts/leads.ts";
import { Offer, OfferStatus, OfferType, PublicOffer } from "../../../types/contracts/offers.ts";
import { Operation, OperationType } from "../../../types/contracts/operations.ts";
import { Permission } from "../../../types/contracts/permissions.ts";
import {
  ListingType,
  Property,
  PropertyStatus,
  PropertyType,
} from "../../../types/contracts/properties.ts";
import { Signature, SignatureStatus } from "../../../types/contracts/signatures.ts";
import { Viewing, ViewingStatus } from "../../../types/contracts/viewings.ts";

/** Contracts that the description refers to by name. */
export const components: ZodOpenApiComponentsObject = {
  schemas: {
    Agent,
    CreatedHook,
    Document,
    DocumentKind,
    DocumentStatus,
    DocumentType,
    DocumentWithUpload,
    Download,
    ErrorAnswer,
    ErrorCode,
    EventType,
    Flow,
    Health,
    Hook,
    Issue,
    Lead,
    LeadStatus,
    ListingType,
    Offer,
    OfferStatus,
    OfferType,
    Operation,
    OperationType,
    Origin,
    PendingAction,
    Permission,
    Property,
    PropertyStatus,
    PropertyType,
    PublicOffer,
    Signature,
    SignatureStatus,
    Temperature,
    Upload,
    Urgency,
    ValidationReason,
    Viewing,
    ViewingStatus,
  },
  securitySchemes: {
    bearer: {
      type: "http",
      scheme: "bearer",
      description:
        "An API key (`cor_…`), or an access token obtained through OAuth. An operation's `x-permissions` names the permission it needs; if it lists several (one per event), any one of them.",
    },
  },
};
