import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  createOffice,
  createPerson,
  decide,
  type Office,
  openAuthorization,
} from "../mcp/oauth/people.ts";
import { RawClient } from "../mcp/oauth/raw_client.ts";
import { type TestStack, testStack } from "../stack/harness.ts";
import { launchBrowser, openPage, picture, shownText, signIn } from "./browser.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");

let stack: TestStack;
let browser: Browser;
let office: Office;
let client: RawClient;

beforeAll(async () => {
  stack = await testStack();
  browser = await launchBrowser();
  office = await createOffice(stack);
});
beforeEach(async () => {
  // Nobody has consented to a new client yet.
  client = await RawClient.register(stack.baseUrl, { client_name: "Claude" });
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

/** What an automatic check of accessibility (WCAG 2.2 AA) finds wrong. */
async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    // @ts-expect-error axe was put into the page by the line above.
    const { violations } = await globalThis.axe.run();
    return violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) =>
      [id, ...nodes.map(({ html }) => html)].join(" "),
    );
  });
}

/** The client's own page is not there; that the browser was sent to it is what counts. */
async function sentTo(page: Page): Promise<URL> {
  const request = await page.waitForRequest((one) => one.url().startsWith(client.redirectUri));
  return new URL(request.url());
}

describe("a person who opens what an assistant asks for", () => {
  test("signs in, reads who gets what, and allows it", async () => {
    const { page, context, complaints } = await openPage(browser);
    await page.goto(client.authorizationUrl().href);
    await page.getByRole("heading", { name: "Entra en tu cuenta" }).waitFor();
    await picture(page, "sign-in");
    expect(await barriers(page)).toEqual([]);

    await signIn(page, office.person);
    await page
      .getByRole("heading", { name: "¿Permites que «Claude» entre en tu agencia?" })
      .waitFor();
    await picture(page, "consent");
    const text = await shownText(page.locator("#consent"));
    expect(text).toContain(`Ana Agente (${office.person.email})`);
    expect(text).toContain(await agencyName());
    expect(text).toContain("127.0.0.1:3998 (un programa de este equipo)");
    expect(text).toMatch(/Ver clientes y contactos, .* y documentos/);
    expect(text).toMatch(/Crear y cambiar clientes y contactos/);
    expect(text).toContain("Tu correo electrónico");
    expect(await barriers(page)).toEqual([]);
    expect(complaints).toEqual([]);

    const [redirect] = await Promise.all([
      sentTo(page),
      page.getByRole("button", { name: "Permitir", exact: true }).click(),
    ]);
    expect(redirect.searchParams.get("state")).toBe("state-1");
    const answer = await client.exchange(redirect.searchParams.get("code") ?? "");
    expect(answer.status).toBe(200);
    await context.close();
  });

  test("does not allow it, and the client is told so", async () => {
    const { page, context } = await openPage(browser);
    await page.goto(client.authorizationUrl().href);
    await signIn(page, office.person);
    const [redirect] = await Promise.all([
      sentTo(page),
      page.getByRole("button", { name: "No permitir" }).click(),
    ]);
    expect(redirect.searchParams.get("error")).toBe("access_denied");
    await context.close();
  });

  test("gets through with the keyboard alone", async () => {
    const { page, context } = await openPage(browser);
    await page.goto(client.authorizationUrl().href);
    await page.getByRole("heading", { name: "Entra en tu cuenta" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.type(office.person.email);
    await page.keyboard.press("Tab");
    await page.keyboard.type(office.person.password);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Permitir", exact: true }).waitFor();
    await page.keyboard.press("Tab");
    const [redirect] = await Promise.all([sentTo(page), page.keyboard.press("Enter")]);
    expect(redirect.searchParams.has("code")).toBe(true);
    await context.close();
  });

  test("is told what went wrong with the password, and tries again", async () => {
    const { page, context } = await openPage(browser);
    await page.goto(client.authorizationUrl().href);
    await signIn(page, { ...office.person, password: "not-the-password" });
    const problem = page.getByRole("alert");
    await problem.getByText("El correo o la contraseña no son correctos.").waitFor();
    await picture(page, "wrong-password");
    // Red, where what went well is green.
    const [red = 0, green = 0] = await colourOf(problem);
    expect(red).toBeGreaterThan(2 * green);
    expect(await barriers(page)).toEqual([]);
    await page.getByRole("button", { name: "Enviarme un enlace para entrar" }).click();
    await page.getByText("en un momento recibirás un enlace").waitFor();
    expect(await problem.count()).toBe(0);
    await signIn(page, office.person);
    await page.getByRole("button", { name: "Permitir", exact: true }).waitFor();
    await context.close();
  });

  test("may come in by a link in a mail", async () => {
    const { page, context } = await openPage(browser);
    await page.goto(client.authorizationUrl().href);
    await page.getByLabel("Correo electrónico").fill(office.person.email);
    await page.getByRole("button", { name: "Enviarme un enlace para entrar" }).click();
    await page.getByText("en un momento recibirás un enlace").waitFor();
    await page.goto(await mailedLink(page.url()));
    await page.getByRole("button", { name: "Permitir", exact: true }).waitFor();
    expect(page.url()).not.toContain("access_token");
    await context.close();
  });

  test("may come in by a link, once", async () => {
    const { page, context } = await openPage(browser);
    await page.goto(client.authorizationUrl().href);
    await page.goto(`${page.url()}#error=access_denied&error_code=otp_expired`);
    await page.reload();
    await page.getByText("El enlace ha caducado o ya se ha usado.").waitFor();
    await context.close();
  });

  test("reads English in an English browser", async () => {
    const { page, context } = await openPage(browser, "en-GB");
    await page.goto(client.authorizationUrl({ scope: "openid profile email phone" }).href);
    await page.getByLabel("E-mail").fill(office.person.email);
    await page.getByLabel("Password").fill(office.person.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Let “Claude” into your agency?" }).waitFor();
    await picture(page, "consent-english");
    expect(await page.locator("html").getAttribute("lang")).toBe("en");
    expect(await page.locator("#scopes li").allInnerTexts()).toEqual([
      "Who you are",
      "Your name",
      "Your e-mail",
      "Your phone number",
    ]);
    const spanish = await page.locator("[data-word]").allInnerTexts();
    expect(spanish.join(" ")).not.toMatch(/agencia|Permit|Entra|Podrá/);
    await context.close();
  });
});

test("a viewer is told that the assistant will only see things", async () => {
  const viewer = await createOffice(stack);
  await stack.sql`update public.agents set role = 'viewer' where id = ${viewer.agentId}`;
  const { page, context } = await openPage(browser);
  await page.goto(client.authorizationUrl().href);
  await signIn(page, viewer.person);
  await page.getByText(/Ver clientes y contactos/).waitFor();
  expect(await page.getByText(/Crear y cambiar/).count()).toBe(0);
  await context.close();
});

test("a name that a client made up is shown as text, whatever it holds", async () => {
  const name = '<img src=x onerror="document.title=1">';
  client = await RawClient.register(stack.baseUrl, { client_name: name });
  const { page, context } = await openPage(browser);
  await page.goto(client.authorizationUrl().href);
  await signIn(page, office.person);
  await page.getByRole("heading", { name: `«${name}»` }).waitFor();
  expect(await page.locator("main img").count()).toBe(0);
  await context.close();
});

test("somebody who is nobody's agent is told so, and another account can still decide", async () => {
  const stranger = await createPerson(stack);
  const { page, context } = await openPage(browser);
  await page.goto(client.authorizationUrl().href);
  await signIn(page, stranger);
  await page.getByRole("heading", { name: "Tu cuenta no es de ninguna agencia" }).waitFor();
  await picture(page, "nobody");
  expect(await shownText(page.locator("#notice"))).toContain(stranger.email);
  await page.getByRole("button", { name: "Entrar con otra cuenta" }).click();
  await signIn(page, office.person);
  await page.getByRole("button", { name: "Permitir", exact: true }).waitFor();
  await context.close();
});

test("a request that was answered already is explained", async () => {
  const id = await openAuthorization(client.authorizationUrl());
  await decide(office.person, id);
  const { page, context } = await openPage(browser);
  await page.goto(`${stack.baseUrl}/consent/?authorization_id=${id}`);
  await signIn(page, office.person);
  await page.getByRole("heading", { name: "La petición ya no es válida" }).waitFor();
  await context.close();
});

test.each(["", "abc", "not an id", "x".repeat(65)])(
  "a link with the authorization «%s» is told to be wrong at once, without a sign-in",
  async (id) => {
    const { page, context } = await openPage(browser);
    await page.goto(`${stack.baseUrl}/consent/?authorization_id=${encodeURIComponent(id)}`);
    await page.getByRole("heading", { name: "El enlace no es correcto" }).waitFor();
    await picture(page, "wrong-link");
    expect(await page.getByLabel("Contraseña").isVisible()).toBe(false);
    await context.close();
  },
);

test("opened without a request, the page says what to paste into an assistant", async () => {
  const { page, context } = await openPage(browser);
  await page.goto(`${stack.baseUrl}/consent`);
  await page.getByText(`${stack.baseUrl}/api/mcp`).waitFor();
  await picture(page, "nothing");
  expect(await barriers(page)).toEqual([]);
  await context.close();
});

test("the page is not shown inside another one, and forgets the session with the tab", async () => {
  const { page, context } = await openPage(browser);
  await page.goto(client.authorizationUrl().href);
  await signIn(page, office.person);
  await page.getByRole("button", { name: "Permitir", exact: true }).waitFor();
  expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
  const frame = await context.newPage();
  await frame.setContent(`<iframe src="${page.url()}"></iframe>`);
  // What Chromium shows where a page refuses to be.
  await expect.poll(() => frame.frames()[1]?.url()).toBe("chrome-error://chromewebdata/");
  await context.close();
});

/** Red, green and blue of what a part of the page is written in. */
async function colourOf(part: Locator): Promise<number[]> {
  const colour = await part.evaluate((element) => getComputedStyle(element).color);
  return (colour.match(/\d+/g) ?? []).map(Number);
}

async function agencyName(): Promise<string> {
  const [agency] = await stack.sql<{ name: string }[]>`
    select name from public.agencies where id = ${office.id}`;
  return agency?.name ?? "";
}

/** The link of the mail that Lite writes to its console instead of sending it. */
async function mailedLink(redirectTo: string): Promise<string> {
  const [token] = await stack.sql<{ hash: string }[]>`
    select recovery_token as hash from auth.users where id = ${office.person.id}`;
  const link = new URL(`${stack.baseUrl}/auth/v1/verify`);
  link.searchParams.set("token", token?.hash ?? "");
  link.searchParams.set("type", "magiclink");
  link.searchParams.set("redirect_to", redirectTo);
  return link.href;
}
