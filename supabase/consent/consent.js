// @ts-check
import { complain, element, say, setBusy, show, showConsent, showNotice, speak } from "./page.js";
import { words } from "./words.js";

// As Auth makes them: 32 letters and digits, and locally 43 with - and _.
const AUTHORIZATION_ID = /^[\w-]{20,64}$/;

/** @typedef {{ supabase_url: string, publishable_key: string, connector_url: string }} Project */

// Hosts that cannot send frame-ancestors would let another page lay this one under its own.
if (window.top !== window.self) throw new Error("This page is not shown in a frame.");

speak();
const address = new URL(location.href);
const authorizationId = address.searchParams.get("authorization_id");
// Auth says in the fragment why a link from a mail did not work; the library clears it.
const linkFailed = new URLSearchParams(address.hash.slice(1)).has("error");

/** @type {Project} */
const project = await (await fetch("project.json")).json();
const { createClient } = /** @type {typeof import("@supabase/supabase-js")} */ (
  Reflect.get(window, "supabase")
);
// The session is for this one decision: it stays in memory, and ends with it.
const client = createClient(project.supabase_url, project.publishable_key, {
  auth: { persistSession: false, autoRefreshToken: false },
  db: { schema: "api" },
});

element("sign-in-form").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(signIn);
});
element("send-link").addEventListener("click", () => attempt(sendLink));
element("approve").addEventListener("click", () => attempt(() => decide("approveAuthorization")));
element("deny").addEventListener("click", () => attempt(() => decide("denyAuthorization")));
element("other-account").addEventListener("click", () => attempt(useOtherAccount));
await attempt(start);

async function start() {
  if (authorizationId === null) {
    showNotice(words.nothing_title, words.nothing_text, { address: project.connector_url });
    return;
  }
  // Whether there is such a request Auth tells only to somebody who is signed in, but a link cut short shows by itself.
  if (!AUTHORIZATION_ID.test(authorizationId)) {
    showNotice(words.broken_title, words.broken_text);
    return;
  }
  const { data } = await client.auth.getSession();
  if (data.session !== null) return consider();
  show("sign-in");
  if (linkFailed) complain(words.link_expired);
}

async function signIn() {
  const { email, password } = entered();
  if (password === "") return complain(words.password_missing);
  const { error } = await client.auth.signInWithPassword({ email, password });
  if (error === null) return consider();
  if (error.status === 429) return complain(words.too_many_attempts);
  if (error.code !== "invalid_credentials") throw error;
  complain(words.wrong_password);
}

async function sendLink() {
  const form = /** @type {HTMLFormElement} */ (element("sign-in-form"));
  if (!form.reportValidity()) return;
  const { error } = await client.auth.signInWithOtp({
    email: entered().email,
    options: {
      shouldCreateUser: false,
      emailRedirectTo: address.origin + address.pathname + address.search,
    },
  });
  // Whether the address has an account is not told to whoever asks.
  if (error?.status === 429) complain(words.too_many_attempts);
  else say(words.link_sent);
}

/** Asks who the person is before the request is opened: the first user to open it is the only one who can decide. */
async function consider() {
  const email = (await client.auth.getUser()).data.user?.email ?? "";
  const agent = await agentOf(email);
  if (agent === undefined) {
    showNotice(words.no_agent_title, words.no_agent_text(email), { otherAccount: true });
    return;
  }
  const { data, error } = await client.auth.oauth.getAuthorizationDetails(String(authorizationId));
  if (error !== null) return refuse(error);
  if ("redirect_url" in data) return leave(data.redirect_url);
  showConsent(data, agent);
}

/** @param {string} email */
async function agentOf(email) {
  const caller = await client.rpc("authenticate");
  if (caller.status === 401) return undefined;
  if (caller.error !== null) throw caller.error;
  const agent = await client.rpc("get_agent", { agent_id: caller.data.agent_id });
  if (agent.error !== null) throw agent.error;
  return {
    email,
    agentName: String(agent.data.name),
    agencyName: String(caller.data.agency_name),
    permissions: /** @type {string[]} */ (caller.data.permissions),
  };
}

/** @param {"approveAuthorization" | "denyAuthorization"} decision */
async function decide(decision) {
  const { data, error } = await client.auth.oauth[decision](String(authorizationId), {
    skipBrowserRedirect: true,
  });
  if (error !== null) return refuse(error);
  await leave(data.redirect_url);
}

/** @param {string} redirectUrl */
async function leave(redirectUrl) {
  await client.auth.signOut({ scope: "local" });
  showNotice(words.leaving_title, words.leaving_text);
  location.replace(redirectUrl);
}

async function useOtherAccount() {
  await client.auth.signOut({ scope: "local" });
  show("sign-in");
}

/** @param {import("@supabase/supabase-js").AuthError} error */
function refuse(error) {
  if (error.status === undefined || error.status >= 500) throw error;
  showNotice(words.expired_title, words.expired_text);
}

/**
 * Runs one step while nothing else can be pressed.
 * @param {() => Promise<void> | void} step
 */
async function attempt(step) {
  setBusy(true);
  try {
    await step();
  } catch (error) {
    console.error(error);
    showNotice(words.failed_title, words.failed_text);
  } finally {
    setBusy(false);
  }
}

function entered() {
  const form = new FormData(/** @type {HTMLFormElement} */ (element("sign-in-form")));
  return { email: String(form.get("email")), password: String(form.get("password")) };
}
