import { existsSync } from "node:fs";
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
} from "playwright-core";
import type { Person } from "../mcp/oauth/people.ts";

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Chromium of the system, without a window. */
export function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? places.find((one) => existsSync(one));
  if (executablePath === undefined) {
    throw new Error("there is no Chromium: apt-get install chromium, or say where in CHROMIUM");
  }
  // As root, as in a container, Chromium has no sandbox.
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

/** A page of somebody who reads this language, with what the browser complained of. */
export async function openPage(
  browser: Browser,
  locale: "es-ES" | "en-GB" = "es-ES",
): Promise<{ page: Page; context: BrowserContext; complaints: string[] }> {
  const context = await browser.newContext({ locale, viewport: { width: 900, height: 900 } });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  return { page, context, complaints };
}

/** Signs in at the consent page with a password, by the labels that people read. */
export async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel("Correo electrónico").fill(email);
  await page.getByLabel("Contraseña").fill(password);
  await page.getByRole("button", { name: "Entrar", exact: true }).click();
}

/** The text of a part of the page that a person gets to see. */
export function shownText(part: Locator): Promise<string> {
  // biome-ignore lint/performance/useDomNodeTextContent: textContent has what is hidden too.
  return part.innerText();
}

/** Keeps a picture of the page where a person asked for pictures. */
export async function picture(page: Page, name: string): Promise<void> {
  const directory = process.env.SCREENSHOTS;
  if (directory !== undefined) await page.screenshot({ path: `${directory}/${name}.png` });
}
