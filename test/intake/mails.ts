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

const directory = join(import.meta.dirname, "mails");

/** The labelled set, in the order of its files. */
export function labelledMails(): LabelledMail[] {
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
