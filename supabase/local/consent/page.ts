import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** What the consent page has to know about the project that it belongs to. */
export interface ConsentProject {
  supabase_url: string;
  publishable_key: string;
  /** Shown when the page is opened without a request to decide on. */
  connector_url: string;
}

const sources = resolve(import.meta.dirname, "..", "..", "consent");
const library = fileURLToPath(import.meta.resolve("@supabase/supabase-js"));

/** The files of the page by name: those of supabase/consent, supabase-js for browsers, and the project's addresses. */
export function consentFiles(project: ConsentProject): Map<string, string> {
  const files = new Map<string, string>();
  for (const name of ["index.html", "consent.css", "consent.js", "page.js", "words.js"]) {
    files.set(name, readFileSync(join(sources, name), "utf8"));
  }
  files.set("supabase.js", readFileSync(join(library, "..", "umd", "supabase.js"), "utf8"));
  files.set("project.json", `${JSON.stringify(project, null, 2)}\n`);
  return files;
}

/**
 * Headers to serve the page with. It runs no script but its own, talks to nobody but the project, and no other page may
 * show it in a frame and have a person press a button they do not see.
 */
export function consentHeaders({ supabase_url }: ConsentProject): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src data:",
    `connect-src 'self' ${new URL(supabase_url).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "Content-Security-Policy": policy.join("; "),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  };
}
