import type { z } from "zod";
import type { Task } from "./fields.ts";

/** A task as the database reports it; facts that the caller may not read are null. */
export type TaskFacts = Omit<z.input<typeof Task>, keyof Words> & {
  next_stage_label: string | null;
  /** What closes the pending action. */
  closed_by: string[] | null;
  /** Only in a case file's next action: why there is nothing to do. */
  why?: string | null;
  archive_reason?: string | null;
};

interface Way {
  how: string;
  /** The tool that does it, or its first part. */
  tool: string | null;
}

/** By what closes the step: gate_steps.closed_by, or the column of a required date. */
const WAYS = new Map<string, Way>(
  Object.entries({
    viewing_done: {
      how: "Agenda la visita con «agendar_visita», indicando operation_id; cuando se haga, la agencia la marcará como hecha.",
      tool: "agendar_visita",
    },
    property_chosen: {
      how: "Cuando el cliente elija un inmueble, indícalo en property_id al llamar a «avanzar_etapa»; si aún no hay ninguno, propónselos con «buscar_propiedades».",
      tool: "buscar_propiedades",
    },
    offer_recorded: {
      how: "Registra la oferta con «registrar_oferta».",
      tool: "registrar_oferta",
    },
    offer_accepted: {
      how: "Necesita una oferta registrada («registrar_oferta») y que la otra parte la acepte; entonces una persona de la agencia marca el paso como hecho en la operación. Ninguna herramienta lo hace.",
      tool: null,
    },
    deposit_paid_at: {
      how: "Cuando el inquilino pague la fianza, una persona de la agencia anota la fecha en la operación (deposit_paid_at). Ninguna herramienta lo hace.",
      tool: null,
    },
  }),
);

/** How to close a step. One that nothing known here closes by itself is ticked by a person. */
export function wayToClose(closedBy: readonly string[] = []): Way {
  const way = closedBy.flatMap((event) => WAYS.get(event) ?? [])[0];
  const papers = closedBy.filter((event) => event.endsWith("_received")).map(paperOf);
  if (papers.length === 0) return way ?? { how: `${BY_HAND}.`, tool: null };
  const received = `registrar ${papers.join(" o ")}`;
  if (way) return { ...way, how: `${way.how} También vale ${received}.` };
  return { how: `${BY_HAND}; también vale ${received}.`, tool: null };
}

const BY_HAND = "Una persona de la agencia marca el paso como hecho en la operación";

function paperOf(event: string): string {
  const kind = event.slice(0, -"_received".length);
  return kind === "viewing_sheet"
    ? "la hoja de visita recibida"
    : `el documento recibido (${kind})`;
}

/** What is said about a task, besides its facts. */
interface Words {
  text: string;
  reason: string;
  how: string | null;
  tool: string | null;
}

/** A task with what to say about it in Spanish, and the tool that does it, if any. */
export function taskOf(task: TaskFacts): z.input<typeof Task> {
  const { why: _, archive_reason: __, next_stage_label: ___, closed_by: ____, ...facts } = task;
  return { ...facts, ...wordsOf(task) };
}

function wordsOf(task: TaskFacts): Words {
  const who = task.full_name ?? "el cliente";
  switch (task.kind) {
    case "answer_message":
      return simply(`Responder a ${who}`, "Su último mensaje no tiene respuesta.");
    case "contact_lead":
      return simply(
        `Llamar o escribir por primera vez a ${who}`,
        "Es un contacto nuevo y nadie ha hablado con él.",
      );
    case "review_sanctions":
      return simply(
        `Revisar la posible coincidencia en listas de sanciones de ${who}`,
        "Una persona debe confirmarla o descartarla antes de seguir.",
      );
    case "close_viewing":
      return simply(
        `Anotar cómo fue la visita de ${who}`,
        "La visita ha terminado y sigue como programada.",
      );
    case "prepare_viewing":
      return simply(`Visita con ${who}`, "Está programada para hoy o mañana.");
    case "advance_stage":
      return {
        text: `Pasar la operación de ${who} a «${task.next_stage_label}»`,
        reason: `La etapa «${task.stage_label}» no tiene pasos pendientes.`,
        how: "Llama a «avanzar_etapa» con su operation_id.",
        tool: "avanzar_etapa",
      };
    case "pending_step":
      return {
        text: `${task.full_name ?? "Operación"}: ${task.pending_action?.label}`,
        reason: `La etapa «${task.stage_label}» no avanza sin este paso.`,
        ...wayToClose(task.closed_by ?? []),
      };
    default:
      return nothingWaits(task);
  }
}

function simply(text: string, reason: string): Words {
  return { text, reason, how: null, tool: null };
}

function nothingWaits(task: TaskFacts): Words {
  switch (task.why) {
    case "archived":
      return simply(
        "Nada: el contacto está archivado",
        `Motivo del archivo: ${task.archive_reason}`,
      );
    case "viewing_arranged":
      return simply(
        "Esperar a la visita programada",
        "La etapa actual se completa cuando se haga la visita.",
      );
    case "unqualified":
      return simply("Nada pendiente", "Está descartado y no tiene ninguna operación abierta.");
    case "no_open_operation":
      return simply(
        `Abrir una operación para ${task.full_name}`,
        "No tiene ninguna operación abierta ni nada pendiente.",
      );
    default:
      return simply(
        "Nada pendiente que esta credencial pueda ver",
        "Sin operations:read no se sabe cómo van sus operaciones.",
      );
  }
}
