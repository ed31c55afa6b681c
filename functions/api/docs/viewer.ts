import absolutePath from "swagger-ui-dist/absolute-path.js";
import { START } from "./page.ts";

/** The files of the package that the page loads. */
const TYPES: Record<string, string> = {
  "favicon-32x32.png": "image/png",
  "start.js": "text/javascript; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "swagger-ui.css": "text/css; charset=utf-8",
};

/** The media type of one of the viewer's files. */
export function viewerType(name: string): string | undefined {
  return Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
}

/**
 * Opens a file of the viewer's package, which is bundled with the function. It is streamed: read whole, each answer
 * would leave 2 MB of garbage.
 */
export async function openViewerFile(name: string): Promise<ReadableStream | string> {
  if (name === "start.js") return START;
  return (await Deno.open(`${absolutePath()}/${name}`)).readable;
}
