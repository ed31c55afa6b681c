import type { Database, Json } from "../../types/database.ts";

type Functions = Database["api"]["Functions"];

/** An RPC of the schema `api`. */
export type RpcName = keyof Functions;

/**
 * An RPC's arguments, as generated from the schema. JSON omits undefined, so an argument with a default may be
 * undefined. What a jsonb holds is up to the contracts.
 */
export type RpcArguments<Name extends RpcName> = {
  [Argument in keyof Functions[Name]["Args"]]: ArgumentOf<Functions[Name]["Args"], Argument>;
};

type ArgumentOf<Arguments, Argument extends keyof Arguments> =
  | (Json extends Arguments[Argument] ? object : Arguments[Argument])
  | (object extends Pick<Arguments, Argument> ? undefined : never);

/**
 * Only arguments that the RPC has. TypeScript alone would allow extra ones, so an optional argument renamed in SQL
 * would go unnoticed.
 */
export type Exactly<Given, Name extends RpcName> = Given & {
  [Unknown in Exclude<keyof Given, keyof RpcArguments<Name>>]: never;
};

/** Passes on arguments that were already checked against the RPC. */
export function exactly<Name extends RpcName>(args: RpcArguments<Name>) {
  return args as Exactly<RpcArguments<Name>, Name>;
}

/** The RPCs that accept these arguments. */
export type RpcTaking<Given> = {
  [Name in RpcName]: Given extends Exactly<Given, Name>
    ? Given extends RpcArguments<Name>
      ? Name
      : never
    : never;
}[RpcName];
