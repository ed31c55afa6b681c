import { z } from "zod";
import { textOrNull } from "../../../../types/contracts/fields.ts";
import { agentId, cutList, limit, localMoment, missingPermissions, Task } from "../fields.ts";
import { type TaskFacts, taskOf } from "../tasks.ts";
import { defineTool, READS } from "../tool.ts";

const Day = z.strictObject({
  now: localMoment.describe("La hora actual en la zona de la agencia."),
  time_zone: z.string().describe("Zona horaria de la agencia."),
  agent_id: agentId
    .nullable()
    .describe("El agente que pregunta; null si la credencial no actúa por ninguno."),
  agent_name: textOrNull.describe("Nombre de ese agente."),
  missing_permissions: missingPermissions,
  overdue_total: z
    .int()
    .describe(
      "Cuántas tareas están atrasadas. Si la agencia tiene miles pendientes, solo cuenta entre las que más llevan esperando.",
    ),
  tasks: cutList(Task, 50, "Las tareas: primero las propias y, entre ellas, las más atrasadas."),
});
type Day = z.input<typeof Day>;

export const mi_jornada = defineTool({
  name: "mi_jornada",
  title: "Mi jornada",
  description: [
    "Responde a «¿qué tengo hoy?»: lo que está pendiente en la agencia, primero lo que le toca a quien pregunta y, dentro de eso, lo más atrasado.",
    "Incluye mensajes sin responder, contactos nuevos, visitas de hoy y mañana o sin cerrar, y lo que frena cada operación abierta, con a quién le toca y desde cuándo. Lo que la credencial no puede leer (missing_permissions) no aparece. Cada tarea trae los identificadores que piden las demás herramientas.",
  ].join(" "),
  permission: "operations:read",
  annotations: READS,
  input: z.strictObject({
    limit: limit(50, 20, "tareas"),
  }),
  output: Day,
  async run({ limit }, { rpc }) {
    const day: Omit<Day, "tasks"> & {
      tasks: Omit<Day["tasks"], "items"> & { items: TaskFacts[] };
    } = await rpc("mcp_my_day", { page_limit: limit });
    return { ...day, tasks: { ...day.tasks, items: day.tasks.items.map(taskOf) } };
  },
});
