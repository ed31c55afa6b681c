import { describe, expect, test } from "vitest";
import { z } from "zod";
import { amount, email, id, stageName, text, words, wordsOrMissing } from "./fields.ts";
import { CreateHook, SampleHookQuery } from "./hooks.ts";
import { CreateLead, Lead, ListLeadsQuery, UpdateLead } from "./leads.ts";
import { CreateOffer, ListOffersQuery, Offer } from "./offers.ts";
import { CreateOperation, ListOperationsQuery, Operation, UpdateOperation } from "./operations.ts";
import { page } from "./pages.ts";

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

describe("Text", () => {
  test("is counted in characters, as Postgres counts", () => {
    expect(accepts(text(2), "🏠🏠")).toBe(true);
    expect(accepts(text(2), "🏠🏠🏠")).toBe(false);
    expect(accepts(text(2), "ab")).toBe(true);
    expect(accepts(text(2), "abc")).toBe(false);
  });

  test("has neither U+0000 nor half a character", () => {
    for (const value of ["\u0000", "a\ud83d", "\ude00"])
      expect(accepts(text(9), value)).toBe(false);
  });

  test("that has to say something is trimmed and not blank", () => {
    expect(words(9).parse(" a b ")).toBe("a b");
    for (const value of ["", " \n ", "\u00a0", "\u0085", "\u200b", "\u202e \ufeff", "\u0007"]) {
      expect(accepts(words(9), value), JSON.stringify(value)).toBe(false);
    }
    for (const value of ["ñ", "李", "🏠", "?", "\u200eא"]) {
      expect(accepts(words(9), value), value).toBe(true);
    }
  });

  test("that may be missing is missing when it is blank", () => {
    for (const value of ["", "  ", "\u200b", null, undefined]) {
      expect(wordsOrMissing(9).parse(value)).toBeUndefined();
    }
  });
});

describe("An amount", () => {
  test.each([0.01, 0.07, 1.1, 19.99, 1e9, 999_999_999.99])("may be %d", (value) => {
    expect(accepts(amount, value)).toBe(true);
  });

  test.each([0, -1, 0.001, 1.005, 1e9 + 0.01, 1e-9, Infinity, NaN, "1", null])(
    "may not be %s",
    (value) => {
      expect(accepts(amount, value)).toBe(false);
    },
  );
});

describe("An identifier", () => {
  test("is any UUID, whatever its version", () => {
    expect(accepts(id, "00000000-0000-0000-0000-000000000001")).toBe(true);
    expect(accepts(id, "0190A6C0-7B1E-7CC3-98C4-DC0C0C07398F")).toBe(true);
    for (const value of ["", "1", "{00000000-0000-0000-0000-000000000001}", "0".repeat(32)]) {
      expect(accepts(id, value)).toBe(false);
    }
  });
});

describe("An e-mail address", () => {
  test("is trimmed and in lower case", () => {
    expect(email.parse(" Ana.Gil+piso@Example.COM ")).toBe("ana.gil+piso@example.com");
  });
});

describe("The name of a stage", () => {
  test("is cut, and stays whole characters", () => {
    expect(stageName.parse("x".repeat(101))).toHaveLength(100);
    expect(stageName.parse("x".concat("🏠".repeat(100))).isWellFormed()).toBe(true);
  });
});

describe("The limit of a page", () => {
  test("is a whole number from 1 to 200, and whoever sends another is told so", () => {
    expect(page.limit.parse("200")).toBe(200);
    for (const value of ["0", "201", "1e2", "+1", " 1", "1.0", "", "0x1"]) {
      const issues = page.limit.safeParse(value).error?.issues ?? [];
      expect(issues.map((issue) => issue.message)).toEqual([
        "must be a whole number from 1 to 200",
      ]);
    }
  });
});

describe("Every contract", () => {
  const contracts = {
    CreateHook,
    SampleHookQuery,
    CreateLead,
    UpdateLead,
    ListLeadsQuery,
    Lead,
    CreateOffer,
    ListOffersQuery,
    Offer,
    CreateOperation,
    UpdateOperation,
    ListOperationsQuery,
    Operation,
  };

  test.each(Object.entries(contracts))(
    "%s describes itself and each of its members",
    (_, contract) => {
      const schema = z.toJSONSchema(contract, { io: "input" });
      expect(schema.description).toBeTruthy();
      expect(schema.additionalProperties).toBe(false);
      for (const [name, member] of Object.entries(schema.properties ?? {})) {
        expect((member as { description?: string }).description, name).toBeTruthy();
      }
    },
  );

  test("says the length of its texts", () => {
    for (const field of [text(7), words(7), email]) {
      expect(z.toJSONSchema(field, { io: "input" }).maxLength).toBeGreaterThan(0);
    }
  });
});
