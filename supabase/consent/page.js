// @ts-check
import { language, listed, STATIC_ENGLISH, words } from "./words.js";

/** @typedef {{ agentName: string, email: string, agencyName: string, permissions: string[] }} Agent */
/** @typedef {import("@supabase/supabase-js").OAuthAuthorizationDetails} Details */

/** The document is in Spanish; who reads English gets its texts replaced. */
export function speak() {
  document.documentElement.lang = language;
  if (language === "es") return;
  for (const place of document.querySelectorAll("[data-word]")) {
    place.textContent = String(
      Reflect.get(STATIC_ENGLISH, String(place.getAttribute("data-word"))),
    );
  }
}

/**
 * Shows one section, and tells who reads with their ears that it changed.
 * @param {"loading" | "sign-in" | "consent" | "notice"} name
 */
export function show(name) {
  for (const section of document.querySelectorAll("section")) section.hidden = section.id !== name;
  const title = document.querySelector(`#${name} h1`);
  if (!(title instanceof HTMLElement)) return;
  document.title = `${title.textContent} · Corredor`;
  title.focus();
}

/**
 * @param {string} title
 * @param {string} text
 * @param {{ otherAccount?: boolean, address?: string }} [more]
 */
export function showNotice(title, text, { otherAccount = false, address } = {}) {
  element("notice-title").textContent = title;
  element("notice-text").textContent = text;
  element("notice-address").hidden = address === undefined;
  element("notice-address").firstElementChild?.replaceChildren(address ?? "");
  element("other-account").hidden = !otherAccount;
  show("notice");
}

/**
 * Says which client gets what, in whose name. Everything is set as text: a client chooses its own name.
 * @param {Details} details
 * @param {Agent} agent
 */
export function showConsent(details, agent) {
  const client = details.client.name || words.nameless_client;
  element("consent-title").textContent = words.consent_title(client);
  element("agent").textContent = `${agent.agentName} (${agent.email})`;
  element("agency").textContent = agent.agencyName;
  element("returns-to").textContent = destination(details.redirect_uri);
  fill("permissions", sentences(agent.permissions));
  fill(
    "scopes",
    details.scope.split(" ").map((scope) => Reflect.get(words.scopes, scope) ?? scope),
  );
  show("consent");
}

/**
 * Answers who is signing in; a screen reader reads it out.
 * @param {string} text
 */
export function say(text) {
  element("sign-in-status").textContent = text;
  element("sign-in-problem").textContent = "";
}

/**
 * Tells who is signing in why it did not work; a screen reader reads it out at once.
 * @param {string} text
 */
export function complain(text) {
  element("sign-in-status").textContent = "";
  element("sign-in-problem").textContent = text;
}

/** @param {boolean} busy */
export function setBusy(busy) {
  for (const button of document.querySelectorAll("button")) button.disabled = busy;
}

/** @param {string} id */
export function element(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

/**
 * @param {string} id
 * @param {string[]} lines
 */
function fill(id, lines) {
  element(id).replaceChildren(
    ...lines.map((line) => Object.assign(document.createElement("li"), { textContent: line })),
  );
}

/** @param {string[]} permissions */
function sentences(permissions) {
  /** @param {string} action */
  const things = (action) =>
    listed(
      Object.entries(words.resources)
        .filter(([resource]) => permissions.includes(`${resource}:${action}`))
        .map(([, name]) => name),
    );
  const [reads, writes] = [things("read"), things("write")];
  return [...(reads ? [words.reads(reads)] : []), ...(writes ? [words.writes(writes)] : [])];
}

/**
 * Where the browser, and with it the access, goes: a host that a person can recognize, or the scheme of an application.
 * @param {string} redirectUri
 */
function destination(redirectUri) {
  const { protocol, hostname, host } = new URL(redirectUri);
  if (["localhost", "127.0.0.1", "[::1]"].includes(hostname)) return words.this_computer(host);
  return protocol === "https:" ? host : `${protocol}//${host}`;
}
