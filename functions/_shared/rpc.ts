import type { Database, Json } from "../../types/database.ts";

type Functions = Database["api"]["Functions"];

/** An RPC of the schema `api`. */
export type RpcName = keyof Functions;

/**
 * What an RPC takes, by the types generated from the schema. JSON leaves out what is undefined, so an argument that
 * has a default may be that too. What is in a jsonb is for the contracts to say.
 */
export type RpcArguments<Name extends RpcName> = {
  [Argument in keyof Functions[Name]["Args"]]: ArgumentOf<Functions[Name]["Args"], Argument>;
};

type ArgumentOf<Arguments, Argument extends keyof Arguments> =
  | (Json extends Arguments[Argument] ? object : Arguments[Argument])
  | (object extends Pick<Arguments, Argument> ? undefined : never);

/**
 * Arguments that the RPC takes and no others. By itself TypeScript would let an object carry more, and an optional
 * argument that was renamed in SQL would go unnoticed.
 */
export type Exactly<Given, Name extends RpcName> = Given & {
  [Unknown in Exclude<keyof Given, keyof RpcArguments<Name>>]: never;
};

/** Passes on arguments that were held against the RPC where its name was given. */
export function exactly<Name extends RpcName>(args: RpcArguments<Name>) {
  return args as Exactly<RpcArguments<Name>, Name>;
}

/** The RPCs that take these arguments. */
export type RpcTaking<Given> = {
  [Name in RpcName]: Given extends Exactly<Given, Name>
    ? Given extends RpcArguments<Name>
      ? Name
      : never
    : never;
}[RpcName];
