import type { Deployment, Need } from "./deployment.ts";

/** The result of a check: a notice is worth a look but not wrong. */
export type Outcome = "right" | "wrong" | "notice" | "unchecked";

/** The outcome of a check in words. What is wrong comes with the command or statement that mends it. */
export interface Verdict {
  outcome: Outcome;
  says: string;
  mend?: string;
}

/** One thing that is looked at. */
export interface Check {
  /** A name for people and machines that stays the same. */
  name: string;
  /** What must be so, as a sentence: printed when it is. */
  right: string;
  needs: readonly Need[];
  look(deployment: Deployment): Promise<Verdict | undefined>;
}

/** Checks of one subject. */
export interface Group {
  title: string;
  checks: readonly Check[];
}

export function wrong(says: string, mend: string): Verdict {
  return { outcome: "wrong", says, mend };
}

/** It works, but deserves attention. */
export function notice(says: string, mend?: string): Verdict {
  return { outcome: "notice", says, ...(mend === undefined ? {} : { mend }) };
}

/** It is right, in other words than the check's own. */
export function right(says: string): Verdict {
  return { outcome: "right", says };
}

export function unchecked(says: string): Verdict {
  return { outcome: "unchecked", says };
}

/** The first of many names, so that a line stays a line. */
export function some(names: readonly string[], max = 5): string {
  const rest = names.length - max;
  return rest > 0 ? `${names.slice(0, max).join(", ")} and ${rest} more` : names.join(", ");
}
