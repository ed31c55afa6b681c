import { VERSION } from "../../../_shared/version.ts";
import { agent, firstOf, listed, property } from "../examples.ts";
import { type Chapter, describeGet, describeList } from "../prose.ts";

export const agents: Chapter = {
  listAgents: describeList("agents", "The people of the agency, newest first.", listed(agent)),
  getAgent: describeGet("an agent", "One agent.", agent),
};

export const properties: Chapter = {
  listProperties: describeList(
    "properties",
    "The agency's properties, newest first.",
    firstOf(property),
  ),
  getProperty: describeGet("a property", "One property.", property),
};

export const flows: Chapter = {
  listFlows: {
    summary: "List flows",
    description:
      "Each flow with its stages in order and their gate steps, so that a client knows which stage comes next.",
    gives: {
      200: [
        "Every flow; the example is cut to two stages of one.",
        {
          data: [
            {
              id: "buy",
              label: "Compra",
              operation_type: "buy",
              stages: [
                {
                  id: "viewings",
                  label: "Visitas",
                  position: 3,
                  is_terminal: false,
                  outcome: null,
                  gate_steps: [
                    { id: "propiedadesVisitadas", label: "Propiedades visitadas" },
                    { id: "favoritaElegida", label: "Propiedad favorita elegida" },
                  ],
                },
                {
                  id: "won",
                  label: "Ganada",
                  position: null,
                  is_terminal: true,
                  outcome: "success",
                  gate_steps: [],
                },
              ],
            },
          ],
        },
      ],
    },
  },
};

export const service: Chapter = {
  getHealth: {
    summary: "Check that the service works",
    description: "Answers once the database does.",
    gives: {
      200: [
        "It works.",
        { status: "ok", time: "2026-05-04T08:15:30.123456+00:00", version: VERSION },
      ],
    },
  },
  getDescription: {
    summary: "Get this description",
    description: "The API as OpenAPI 3.1, generated from the contracts that validate requests.",
    gives: {
      200: ["The description."],
      304: ["It has not changed since the ETag in If-None-Match."],
    },
    standsAlone: true,
  },
};
