import { describe, expect, test } from "vitest";
import { groundedIn } from "../../functions/intake/model/grounding.ts";
import { promptFor } from "../../functions/intake/model/prompt.ts";
import { plainText } from "../../functions/intake/rules/mail.ts";
import { qualifyByRules } from "../../functions/intake/rules/qualify.ts";

/** What a stranger may repeat to keep a reader busy: a beginning without an end, or a match that fails late. */
const REPEATED = [
  "<",
  "<p ",
  "<!--",
  "<script>",
  "</script ",
  "<title",
  "&",
  "&#1",
  "-",
  "--\n",
  ">",
  "\n>",
  "\n",
  " ",
  "\f",
  "temperature\f",
  "system\f",
  "1",
  "1 ",
  "1.",
  "234 ",
  "1,234x ",
  "€ ",
  "a",
  "A",
  "Aa ",
  "de ",
  "De La ",
  "mensaje:\n",
  "mensaje ",
  "nombre:\n",
  "precio ",
  "ahorr",
  "busco ",
  "hasta ",
  "entre ",
  "entre 1 y ",
  "Ruzafa, ",
  "Madrid y ",
  "tres ",
  "dos habitaciones o ",
  "mil ",
  "un millón ",
  "(",
  "a@",
  "a.",
  "ignora ",
  "nota para ",
];
const BEGINNINGS = ["", "<p>", "idealista: nuevo mensaje\nmensaje: ", "temperature"];

/** The processor's time that it takes, the least of three. */
function timeOf(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 3; n++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/**
 * Twice the mail may take twice the time, and not four times. What takes next to no time is not measured, and what looks
 * slow is looked at again: a busy machine is slow by chance, a bad pattern each time.
 */
const NOT_WORTH_MEASURING_MS = 100;
const LOOKS = 4;

function expectLinear(read: (body: string) => unknown, size: number): void {
  for (const beginning of BEGINNINGS) {
    for (const part of REPEATED) {
      const body = (length: number) =>
        beginning +
        part.repeat(length / part.length + 1).slice(0, length - beginning.length - 1) +
        "x";
      let measured = "";
      const isLinear = () => {
        const whole = timeOf(() => read(body(size)));
        if (whole < NOT_WORTH_MEASURING_MS) return true;
        const half = timeOf(() => read(body(size / 2)));
        measured = `${half} ms, ${whole} ms`;
        return whole / half < 3;
      };
      const linear = Array.from({ length: LOOKS }).some(isLinear);
      expect(linear, `${JSON.stringify(beginning + part)}: ${measured}`).toBe(true);
    }
  }
}

const ANSWER = {
  temperature: null,
  intent: null,
  budget_max: 1,
  bedrooms_min: 1,
  zone: "x",
  language: null,
  urgency: null,
  summary: null,
};
const READERS: [string, (body: string) => unknown][] = [
  ["the rules", (body) => qualifyByRules(null, body)],
  ["the prompt", (body) => promptFor({ subject: null, body })],
  ["the check of a model's answer", (body) => groundedIn({ subject: null, body }, ANSWER)],
];

describe.each(READERS)("%s", (_name, read) => {
  test("take no more than in proportion for any mail up to what is read of it", () => {
    expectLinear(read, 20_000);
  }, 60_000);

  test("read no more of a mail that is longer", () => {
    expectLinear(read, 100_000);
  }, 60_000);
});

test("a mail without an end of its tags is read as text in no time", () => {
  const hostile = `<p>Busco piso${"<".repeat(99_990)}`;
  expect(timeOf(() => plainText(hostile))).toBeLessThan(200);
  expect(plainText("<p>Hola<!-- no --> a <b>todos</b><script>x</script>")).toBe(" Hola a todos ");
  expect(plainText("<p>a<!-- b<p>c")).toContain("c");
});
