import type { z } from "zod";
import type { ErrorDetails, Issue } from "../../../types/contracts/errors.ts";
import type { ApiError } from "../../_shared/errors.ts";
import { inSpanish } from "./spanish.ts";
import { wayToClose } from "./tasks.ts";

const ISSUES_MAX = 20;

/** What a model is told about a refusal; code and details are those of the REST interface. */
interface ToolRefusal {
  error: { code: string; message: string; details: Record<string, unknown> };
}

/** Said for people and models; what the rule is called stays in details.reason. */
const SENTENCE_OF_REASON: Record<string, string> = {
  stage_gate_blocked:
    "No se puede avanzar: la etapa actual tiene pasos pendientes (details.pending_actions).",
  invalid_transition:
    "Ese cambio de etapa no está permitido: se avanza de una en una, y solo desde la última se cierra con éxito.",
  invalid_stage: "Esa etapa no existe en el flujo de la operación.",
  stage_required:
    "La operación está en su última etapa; indica en stage cómo se cierra (details.stages).",
  agent_required: "La credencial no actúa por ningún agente, así que no tiene visitas propias.",
  operation_closed: "La operación está cerrada y ya no admite cambios, ofertas ni visitas.",
  lost_reason_required: "Para marcar la operación como perdida hace falta lost_reason.",
  db_gate_blocked:
    "A esa etapa no se pasa antes de que conste el pago de la fianza. Cuando se pague, una persona de la agencia anota la fecha en la operación (deposit_paid_at). Ninguna herramienta lo hace.",
  property_required:
    "Falta el inmueble: ni la oferta ni su operación lo indican. Envía property_id.",
  operation_type_not_allowed: "Aquí solo se abren operaciones de compra (buy) o alquiler (rent).",
  unknown_reference: "No encontrado: un identificador no corresponde a nada de esta agencia.",
  nothing_to_change: "La petición no cambia nada.",
  invalid_time: "Esa fecha u hora no existe en la zona horaria de la agencia.",
  invalid_body: "Algún argumento no es válido (details.issues).",
  invalid_value: "Algún valor no es aceptable.",
};

const SENTENCE_OF_CODE: Record<string, string> = {
  not_found: "No encontrado: no existe en esta agencia.",
  forbidden: "La credencial no tiene el permiso necesario para esta herramienta.",
  conflict: "Choca con algo que ya existe.",
};

/** A refusal of the rules as the answer of a tool: the same code, reason and details as REST, told in Spanish. */
export function refusalOf({ code, message, details, closedBy }: ApiError): ToolRefusal {
  const { reason, issues, pending_actions } = details as z.output<typeof ErrorDetails>;
  return {
    error: {
      code,
      message: [SENTENCE_OF_REASON[reason ?? ""] ?? SENTENCE_OF_CODE[code] ?? message]
        .concat(
          (pending_actions ?? []).map(
            ({ id, label }) => `${label}: ${wayToClose(closedBy[id]).how}`,
          ),
        )
        .join("\n"),
      details: issues ? { ...details, issues: issues.map(translated) } : details,
    },
  };
}

function translated({ path, message }: Issue): Issue {
  return { path, message: inSpanish(message) };
}

/** Arguments that do not fit a tool's input, named one by one. */
export function refusalOfArguments(issues: z.core.$ZodIssue[]): ToolRefusal {
  const named = issues.flatMap(toIssues).slice(0, ISSUES_MAX);
  const paths = named.map(({ path, message }) => `${path}: ${message}`).join("; ");
  return {
    error: {
      code: "validation_error",
      message: `Los argumentos no son válidos. ${paths}`,
      details: { reason: reasonIn(issues) ?? "invalid_arguments", issues: named },
    },
  };
}

/** Whether an error is one that a model can act on; the others concern the request as a whole. */
export function isForTheModel({ code }: ApiError): boolean {
  return ["validation_error", "not_found", "forbidden", "conflict"].includes(code);
}

function reasonIn(issues: z.core.$ZodIssue[]): string | undefined {
  for (const issue of issues) {
    if (issue.code === "custom" && issue.params?.reason) return issue.params.reason;
  }
  return undefined;
}

function toIssues(issue: z.core.$ZodIssue): Issue[] {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...path, key].join(".").slice(0, 200),
      message: "no se conoce",
    }));
  }
  const message = SENTENCE_OF_REASON[reasonIn([issue]) ?? ""] ?? sentenceOf(issue);
  return [{ path: path.join(".").slice(0, 200) || "arguments", message: message.slice(0, 500) }];
}

/** JSON cannot say undefined, so an argument that is undefined was left out. */
function sentenceOf(issue: z.core.$ZodIssue): string {
  return issue.input === undefined ? "es obligatorio" : inSpanish(issue.message);
}
