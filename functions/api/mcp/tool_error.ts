import { z } from "zod";
import type { ErrorDetails, Issue } from "../../../types/contracts/errors.ts";
import {
  CONTRACT_ISSUES,
  type IssueCode,
  type IssueValues,
  sentenceOf,
} from "../../../types/contracts/issues.ts";
import { spanishOf } from "../../../types/contracts/reasons.ts";
import type { ApiError } from "../../_shared/errors.ts";
import { reasonIn } from "../request.ts";
import { wayToClose } from "./tasks.ts";

const MAX_ISSUES = 20;

/** Parse options under which zod reports its own findings in the tools' language. */
export const IN_SPANISH = { error: z.locales.es().localeError, reportInput: true } as const;

/** What a model is told about an error; code and details are those of REST. */
interface ToolError {
  error: { code: string; message: string; details: object };
}

const SPANISH_OF_CODE: Record<string, string> = {
  not_found: "No encontrado: no existe en esta agencia.",
  forbidden: "La credencial no tiene el permiso necesario para esta herramienta.",
  conflict: "Entra en conflicto con algo que ya existe.",
};

/** A refusal as a tool's answer: the code, reason and details of REST, told in Spanish. */
export function toolErrorOf({ code, message, details, issue, closedBy }: ApiError): ToolError {
  const { reason, issues, pending_actions } = details as z.output<typeof ErrorDetails>;
  return {
    error: {
      code,
      message: [spanishOf(reason) ?? SPANISH_OF_CODE[code] ?? message]
        .concat(
          (pending_actions ?? []).map(
            ({ id, label }) => `${label}: ${wayToClose(closedBy[id]).how}`,
          ),
        )
        .join("\n"),
      // A rule finds one thing wrong, and its code says what.
      details:
        issues && issue
          ? { ...details, issues: issues.map(({ path }) => inSpanish(path, issue)) }
          : details,
    },
  };
}

function inSpanish(
  path: string,
  { code, values }: { code: IssueCode; values?: IssueValues },
): Issue {
  return { path, message: sentenceOf(code, "spanish", values) };
}

/** Invalid arguments, named one by one. */
export function toolErrorOfArguments(issues: z.core.$ZodIssue[]): ToolError {
  const named = issues.flatMap(toIssues).slice(0, MAX_ISSUES);
  const paths = named.map(({ path, message }) => `${path}: ${message}`).join("; ");
  return {
    error: {
      code: "validation_error",
      message: `${spanishOf("invalid_arguments")} ${paths}`,
      details: { reason: reasonIn(issues) ?? "invalid_arguments", issues: named },
    },
  };
}

/** Whether a model can act on an error; the others concern the request as a whole. */
export function isForTheModel({ code }: ApiError): boolean {
  return ["validation_error", "not_found", "forbidden", "conflict"].includes(code);
}

function toIssues(issue: z.core.$ZodIssue): Issue[] {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) =>
      inSpanish([...path, key].join(".").slice(0, 200), { code: "unknown_member" }),
    );
  }
  const message = spanishOf(reasonIn([issue])) ?? messageOf(issue);
  return [{ path: path.join(".").slice(0, 200) || "arguments", message: message.slice(0, 500) }];
}

function messageOf(issue: z.core.$ZodIssue): string {
  // JSON has no undefined, so this argument was left out.
  if (issue.input === undefined) return sentenceOf("required", "spanish");
  const named = issue.code === "custom" && issue.params?.issue;
  if (named) return sentenceOf(named, "spanish", issue.params?.values);
  // zod's own checks carry no code of ours. A contract may have given one a message from our list; otherwise zod has
  // said it in Spanish.
  const given = Object.entries(CONTRACT_ISSUES).find(
    ([, { message }]) => message === issue.message,
  );
  return given?.[1].spanish ?? issue.message;
}
