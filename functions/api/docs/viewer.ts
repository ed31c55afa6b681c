import absolutePath from "swagger-ui-dist/absolute-path.js";
import { START } from "./page.ts";

/** What the page loads. The rest of the package is of no use to it. */
const TYPES: Record<string, string> = {
  "favicon-32x32.png": "image/png",
  "start.js": "text/javascript; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "swagger-ui.css": "text/css; charset=utf-8",
};

/** The media type of a file of the viewer, or nothing for what is none. */
export function viewerType(name: string): string | undefined {
  return Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
}

/**
 * Opens a file of the viewer, out of its package, which is bundled with the function. It is answered piece by piece:
 * read whole, each answer would leave 2 MB to be collected.
 */
export async function openViewerFile(name: string): Promise<ReadableStream | string> {
  if (name === "start.js") return START;
  return (await Deno.open(`${absolutePath()}/${name}`)).readable;
}
