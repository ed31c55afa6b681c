import type { Tool } from "./tool.ts";
import { agenda } from "./tools/agenda.ts";
import { agendar_visita } from "./tools/agendar_visita.ts";
import { avanzar_etapa } from "./tools/avanzar_etapa.ts";
import { buscar } from "./tools/buscar.ts";
import { buscar_propiedades } from "./tools/buscar_propiedades.ts";
import { crear_lead } from "./tools/crear_lead.ts";
import { mi_jornada } from "./tools/mi_jornada.ts";
import { registrar_oferta } from "./tools/registrar_oferta.ts";
import { ver_expediente } from "./tools/ver_expediente.ts";

/** The tools of the connector: first those that read, then those that write. */
export const CATALOG: readonly Tool[] = [
  buscar,
  ver_expediente,
  mi_jornada,
  buscar_propiedades,
  agenda,
  crear_lead,
  agendar_visita,
  avanzar_etapa,
  registrar_oferta,
];
