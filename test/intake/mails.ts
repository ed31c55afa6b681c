import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Qualification } from "../../types/contracts/qualification.ts";

/** What a person who read the mail would note down. The summary is not labelled: it has no one right wording. */
export type Label = Omit<Qualification, "summary">;

/** An invented mail with what it says of its writer's wishes. */
export interface LabelledMail {
  file: string;
  name: string;
  subject: string;
  body: string;
  expected: Label;
}

/**
 * The labelled set, in the order of its files. The rules were written with `mails` in view; `unseen` was written after
 * them and they were not changed for it, so it tells better what to expect of a stranger's mail.
 */
export function labelledMails(set: "mails" | "unseen" = "mails"): LabelledMail[] {
  const directory = join(import.meta.dirname, set);
  return readdirSync(directory)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .flatMap((file) =>
      (JSON.parse(readFileSync(join(directory, file), "utf8")) as LabelledMail[]).map((mail) => ({
        ...mail,
        file,
      })),
    );
}
