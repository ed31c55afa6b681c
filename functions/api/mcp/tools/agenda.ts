import { z } from "zod";
import { localTime } from "../../../../types/contracts/times.ts";
import {
  agentId,
  cutList,
  limit,
  localMoment,
  missingPermissions,
  viewingSummary,
} from "../fields.ts";
import { defineTool, READS } from "../tool.ts";

const dayOrTime = z.union([z.iso.date(), localTime], {
  error: "debe ser una fecha (2026-05-04) o una fecha y hora (2026-05-04T17:30)",
});

export const agenda = defineTool({
  name: "agenda",
  title: "Agenda de visitas",
  description: [
    "Lista las visitas de un periodo, de la más próxima a la más lejana, sin las canceladas. Sin argumentos, hoy y los seis días siguientes.",
    "Las fechas y horas son las de la zona horaria de la agencia. Para concertar una visita usa «agendar_visita».",
  ].join(" "),
  permission: "viewings:read",
  annotations: READS,
  input: z.strictObject({
    starts_from: dayOrTime
      .optional()
      .describe(
        "Desde cuándo: un día (2026-05-04) o una hora local (2026-05-04T17:30). Por defecto, hoy.",
      ),
    starts_before: dayOrTime
      .optional()
      .describe(
        "Hasta cuándo: un día (se incluye entero) o una hora local. Por defecto, siete días.",
      ),
    agent_id: agentId.optional().describe("Solo las visitas de este agente."),
    mine: z
      .boolean()
      .optional()
      .describe("true para ver solo las del agente que pregunta; deja sin efecto agent_id."),
    limit: limit(100, 50, "visitas"),
  }),
  output: z.strictObject({
    time_zone: z.string().describe("Zona horaria de la agencia."),
    starts_from: localMoment.describe("Inicio del periodo mostrado."),
    starts_before: localMoment.describe("Fin del periodo mostrado, sin incluirlo."),
    missing_permissions: missingPermissions,
    viewings: cutList(
      z.strictObject(viewingSummary),
      100,
      "Las visitas del periodo, la más próxima primero.",
    ),
  }),
  async run({ limit, ...period }, { rpc }) {
    return rpc("mcp_agenda", { ...period, page_limit: limit });
  },
});
