import { z } from "zod";
import {
  optional,
  stageName,
  textOrNull,
  wordsOrMissing,
} from "../../../../types/contracts/fields.ts";
import type { Operation } from "../../../../types/contracts/operations.ts";
import {
  leadId,
  operationId,
  operationType,
  pendingActions,
  propertyId,
  stageLabel,
} from "../fields.ts";
import { ADDS, defineTool } from "../tool.ts";

/** The RPC is that of PATCH /operations/{id}. */
export const avanzar_etapa = defineTool({
  name: "avanzar_etapa",
  title: "Avanzar la etapa de una operación",
  description: [
    "Mueve una operación a la etapa siguiente, o la cierra. Solo se avanza de una en una y cuando la etapa actual no tiene pasos pendientes; si los hay, responde cuáles son (stage_gate_blocked) y no cambia nada. Nunca se retrocede.",
    "Sin stage pasa a la etapa siguiente. Para cerrar indica stage: won, sold o rented desde la última etapa; lost (con lost_reason), expired o cancelled desde cualquiera. Cerrar no se puede deshacer: confírmalo antes con la persona.",
  ].join(" "),
  permission: "operations:write",
  annotations: { ...ADDS, destructiveHint: true },
  input: z
    .strictObject({
      operation_id: operationId.describe("La operación que avanza (UUID)."),
      stage: optional(stageName).describe(
        "Etapa o cierre al que pasa; si se omite, la etapa siguiente de su recorrido.",
      ),
      lost_reason: wordsOrMissing(1000).describe(
        "Por qué se pierde; obligatorio con stage lost y no admitido sin él.",
      ),
      property_id: optional(propertyId).describe(
        "Inmueble que ha elegido el cliente; completa ese paso antes de avanzar.",
      ),
    })
    .refine((args) => args.lost_reason === undefined || args.stage !== undefined, {
      path: ["lost_reason"],
      error: "solo se admite con stage lost",
    }),
  output: z.object({
    operation_id: operationId,
    lead_id: leadId,
    operation_type: operationType,
    flow: z.string().describe("El recorrido de etapas que sigue."),
    stage: z.string().describe("La etapa en la que queda."),
    stage_label: stageLabel,
    is_terminal: z.boolean().describe("true si ha quedado cerrada."),
    pending_actions: pendingActions,
    property_id: propertyId.nullable().describe("El inmueble elegido, si lo hay."),
    lost_reason: textOrNull.describe("Por qué se perdió, si se perdió."),
  }),
  async run({ operation_id, stage, lost_reason, property_id }, { rpc }) {
    const chosen = property_id ? { property_id } : {};
    const operation: z.output<typeof Operation> =
      stage === undefined
        ? await rpc("mcp_advance_stage", { operation_id, patch: chosen })
        : await rpc("update_operation", { operation_id, patch: { stage, lost_reason, ...chosen } });
    return { ...operation, operation_id: operation.id };
  },
});
