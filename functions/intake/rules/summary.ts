import type { Qualification } from "../../../types/contracts/qualification.ts";

const WORDS = {
  es: {
    buy: "Quiere comprar",
    rent: "Quiere alquilar",
    sell: "Quiere vender",
    let: "Quiere poner en alquiler",
    none: "Consulta",
    studio: "estudio",
    bedrooms: (n: number) => `${n} o más dormitorios`,
    budget: (sum: string) => `hasta ${sum} €`,
    zone: (zone: string) => `en ${zone}`,
    immediate: "urgente",
    soon: "en los próximos meses",
    later: "sin prisa",
  },
  en: {
    buy: "Wants to buy",
    rent: "Wants to rent",
    sell: "Wants to sell",
    let: "Wants to let",
    none: "Enquiry",
    studio: "studio",
    bedrooms: (n: number) => `${n} or more bedrooms`,
    budget: (sum: string) => `up to €${sum}`,
    zone: (zone: string) => `in ${zone}`,
    immediate: "urgent",
    soon: "in the next months",
    later: "no hurry",
  },
};

/** One line made from what was found, without any words of the mail itself. */
export function summarize(found: Omit<Qualification, "summary" | "temperature">): string | null {
  const language = found.language === "en" ? "en" : "es";
  const words = WORDS[language];
  const parts = [
    found.bedrooms_min === null
      ? undefined
      : found.bedrooms_min === 0
        ? words.studio
        : words.bedrooms(found.bedrooms_min),
    found.zone === null ? undefined : words.zone(found.zone),
    found.budget_max === null ? undefined : words.budget(grouped(found.budget_max, language)),
    found.urgency === null ? undefined : words[found.urgency],
  ].filter((part) => part !== undefined);
  if (found.intent === null && parts.length === 0) return null;
  return [words[found.intent ?? "none"], ...parts].join(", ").slice(0, 300);
}

function grouped(sum: number, language: "es" | "en"): string {
  return Math.round(sum)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, language === "en" ? "," : ".");
}
