import absolutePath from "swagger-ui-dist/absolute-path.js";
import { START } from "./page.ts";

/** What the page loads. The rest of the package is of no use to it. */
const TYPES: Record<string, string> = {
  "favicon-32x32.png": "image/png",
  "start.js": "text/javascript; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "swagger-ui.css": "text/css; charset=utf-8",
};

/** A file of the viewer, out of its package, which is bundled with the function. */
export async function readViewerFile(
  name: string,
): Promise<{ type: string; bytes: Uint8Array<ArrayBuffer> | string } | undefined> {
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (!type) return undefined;
  const bytes = name === "start.js" ? START : await Deno.readFile(`${absolutePath()}/${name}`);
  return { type, bytes };
}
