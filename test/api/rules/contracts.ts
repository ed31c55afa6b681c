import { z } from "zod";

/** A member of a contract, in the JSON Schema that zod makes of it. */
export interface Member {
  type?: string;
  format?: string;
  pattern?: string;
  enum?: string[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  nullable: boolean;
}

export interface Contract {
  required: string[];
  members: Record<string, Member>;
}

/** A value that a contract refuses, and what is wrong with it. */
export type BadValue = [why: string, value: unknown];

interface Schema {
  required?: string[];
  properties?: Record<string, { anyOf?: object[]; type?: string | string[] }>;
}

/** What zod itself says of a contract's members. */
export function read(contract: z.ZodType): Contract {
  const schema = z.toJSONSchema(contract, { io: "input", unrepresentable: "any" }) as Schema;
  const members = Object.entries(schema.properties ?? {}).map(([name, { anyOf, ...alone }]) => {
    const type = [alone.type ?? []].flat();
    const member = anyOf ? anyOf[0] : { ...alone, ...(type[0] ? { type: type[0] } : {}) };
    return [name, { ...member, nullable: anyOf !== undefined || type.includes("null") }] as const;
  });
  return { required: schema.required ?? [], members: Object.fromEntries(members) };
}

/** The same member as an RPC's contract in SQL says it. Sums of money are the only numbers that are not whole. */
export function ruleInSql(member: Member): Record<string, unknown> {
  const { nullable, pattern, format, minLength, maxLength, ...rest } = member;
  const named =
    format === "uuid" || format === "email"
      ? format
      : minLength === 3 && maxLength === 3
        ? "currency"
        : pattern?.includes("[a-z]{2}")
          ? "language"
          : pattern?.includes("T(")
            ? "time"
            : undefined;
  const { type, enum: options, minimum, maximum, exclusiveMinimum } = rest;
  return Object.fromEntries(
    Object.entries({
      type,
      enum: options,
      minimum,
      maximum,
      exclusiveMinimum,
      ...(type === "number" ? { decimals: 2 } : {}),
      ...(named ? { format: named } : { minLength, maxLength }),
      ...(nullable ? { nullable } : {}),
    }).filter(([, value]) => value !== undefined),
  );
}

/** Values that are just outside what a member may be, one for each of its rules. */
export function badValues(member: Member): BadValue[] {
  const bad: BadValue[] = [
    ["an object", {}],
    ["a list", [[]]],
    ["true", true],
  ];
  if (!member.nullable) bad.push(["null", null]);
  if (member.type === "string") {
    bad.push(["a number", 1]);
    if (member.enum) bad.push(["none of the options", "ZZZ"], ["of another case", upper(member)]);
    if (member.format ?? member.pattern) bad.push(["of another form", "x"]);
    if (member.minLength === 3) bad.push(["no currency", "ZZZ"]);
    else if (member.minLength) bad.push(["blank", " \u200b\t"], ["empty", ""]);
    if (member.maxLength) bad.push(["too long", "x".repeat(member.maxLength + 1)]);
  } else {
    bad.push(["a text", "1"]);
    const least = member.minimum ?? member.exclusiveMinimum;
    if (least !== undefined) bad.push(["too small", least - 1], ["far too small", -1e300]);
    if (member.exclusiveMinimum !== undefined) bad.push(["at the limit", member.exclusiveMinimum]);
    if (member.maximum !== undefined) bad.push(["too big", member.maximum + 1], ["huge", 1e15]);
    bad.push(["too precise", member.type === "integer" ? (least ?? 0) + 1.5 : 100.005]);
  }
  return bad;
}

function upper({ enum: options = [] }: Member): string {
  return (options[0] ?? "").toUpperCase();
}
