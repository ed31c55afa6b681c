import { z } from "zod";
import type { Match, Person } from "./job_queue.ts";

/** Screens a person with an external service. */
export type Screen = (person: Person) => Promise<{ source: string; matches: Match[] }>;

const ANSWER_WITHIN_MS = 15_000;
const MAX_MATCHES = 20;

/** The part of a match response that is kept; the same for yente and OpenSanctions' own API. */
const Answer = z.object({
  responses: z.object({
    person: z.object({
      results: z.array(
        z.object({
          id: z.string(),
          caption: z.string(),
          score: z.number().min(0).max(1),
          match: z.boolean(),
          datasets: z.array(z.string()).default([]),
          properties: z.record(z.string(), z.array(z.unknown())).default({}),
        }),
      ),
    }),
  }),
});

/** The configured match API; SANCTIONS_API_URL is that of a data set (…/match/sanctions). */
export function sanctionsService(): Screen | undefined {
  const url = Deno.env.get("SANCTIONS_API_URL");
  if (!url) return undefined;
  const key = Deno.env.get("SANCTIONS_API_KEY");
  const source = new URL(url).host;
  return async (person) => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key ? { authorization: `ApiKey ${key}` } : {}),
      },
      body: JSON.stringify({
        queries: { person: { schema: "Person", properties: propertiesOf(person) } },
      }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`The sanctions service answered ${response.status}.`);
    }
    const answer = Answer.safeParse(await response.json().catch(() => undefined));
    if (!answer.success) throw new Error("The sanctions service gave an answer that does not fit.");
    const matches = answer.data.responses.person.results
      .filter(({ match }) => match)
      .slice(0, MAX_MATCHES)
      .map(({ id, caption, score, datasets, properties }) => ({
        id,
        name: caption,
        score,
        datasets,
        birth_dates: properties.birthDate ?? [],
        countries: properties.country ?? properties.nationality ?? [],
      }));
    return { source, matches };
  };
}

function propertiesOf({ name, birth_date, country }: Person) {
  return {
    name: [name],
    ...(birth_date ? { birthDate: [birth_date] } : {}),
    ...(country ? { nationality: [country.toLowerCase()] } : {}),
  };
}
