import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import type { Provider } from "oidc-provider";
import { AuthError, authErrors } from "./auth_error.ts";
import type { OAuthStore } from "./store.ts";

/** Who is deciding: the user of the session that the page sends along. */
export interface SessionUser {
  id: string;
  email?: string;
}

/** Hosted Auth's scope for requests that name none. */
const DEFAULT_SCOPE = "email";

type Interaction = InstanceType<Provider["Interaction"]>;

/** What became of an authorization request, kept with it. */
interface Decision {
  userId: string;
  status: "pending" | "approved" | "denied";
}

/**
 * What `auth.oauth.*` of supabase-js calls from the consent page, answered as hosted Auth does. The first user to open
 * an authorization is the only one who can decide on it.
 */
export function consentEndpoints(options: {
  provider: Provider;
  store: OAuthStore;
  siteUrl: string;
  userOf(request: Request): Promise<SessionUser>;
}): Hono {
  const { provider, store, siteUrl, userOf } = options;
  const consents = store.adapter("Consent");
  const app = new Hono().basePath("/auth/v1/oauth/authorizations");

  app.onError((error) => {
    if (error instanceof AuthError) return error.toResponse();
    throw error;
  });
  app.use(async (c, next) => {
    const origin = c.req.header("origin");
    if (origin !== undefined && origin !== new URL(siteUrl).origin) throw authErrors.wrongOrigin();
    await next();
  });

  app.get("/:id", async (c) => {
    const user = await userOf(c.req.raw);
    return c.json(await describe(c.req.param("id"), user));
  });

  app.post("/:id/consent", async (c) => {
    const user = await userOf(c.req.raw);
    const { action } = (await c.req.json().catch(() => ({}))) as { action?: string };
    if (action !== "approve" && action !== "deny") throw authErrors.badAction();
    return c.json(await decide(c.req.param("id"), user, action));
  });

  async function describe(id: string, user: SessionUser) {
    const interaction = await pending(id);
    const decision = decisionOf(interaction);
    if (decision === undefined) {
      await record(interaction, { userId: user.id, status: "pending" });
      if (await hasConsented(user, interaction)) return approve(interaction, user);
    } else if (decision.userId !== user.id) {
      throw authErrors.notFound();
    }
    const client = await clientOf(interaction);
    return {
      authorization_id: id,
      redirect_uri: interaction.params.redirect_uri,
      client: {
        id: client.clientId,
        name: client.clientName,
        uri: client.clientUri,
        logo_uri: client.logoUri,
      },
      user: { id: user.id, email: user.email },
      scope: scopeOf(interaction),
    };
  }

  async function decide(id: string, user: SessionUser, action: "approve" | "deny") {
    const interaction = await pending(id);
    if (decisionOf(interaction)?.userId !== user.id) throw authErrors.notFound();
    if (action === "approve") {
      await consents.upsert(consentId(user, interaction), { scope: scopeOf(interaction) });
      return approve(interaction, user);
    }
    await record(interaction, { userId: user.id, status: "denied" });
    return redirect(interaction, {
      error: "access_denied",
      error_description: "User denied the request",
    });
  }

  /** Makes the code by hand: oidc-provider would do it only for a browser that comes back to it with its cookies. */
  async function approve(interaction: Interaction, user: SessionUser) {
    const { params } = interaction;
    const client = await clientOf(interaction);
    const scope = scopeOf(interaction);
    const grant = new provider.Grant({ accountId: user.id, clientId: client.clientId });
    grant.addOIDCScope(scope);
    grant.addResourceScope(String(params.resource), scope);
    const code = new provider.AuthorizationCode({
      accountId: user.id,
      authTime: Math.floor(Date.now() / 1000),
      client,
      codeChallenge: String(params.code_challenge),
      codeChallengeMethod: String(params.code_challenge_method),
      grantId: await grant.save(),
      gty: "authorization_code",
      redirectUri: String(params.redirect_uri),
      resource: String(params.resource),
      scope,
      sessionUid: randomUUID(),
      ...(params.nonce === undefined ? {} : { nonce: String(params.nonce) }),
    });
    await record(interaction, { userId: user.id, status: "approved" });
    return redirect(interaction, { code: await code.save() });
  }

  /** Where the browser goes next: back to the client, which finds there its own state and whose answer it is (RFC 9207). */
  function redirect({ params }: Interaction, answer: Record<string, string>) {
    const url = new URL(String(params.redirect_uri));
    for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
    if (params.state !== undefined) url.searchParams.set("state", String(params.state));
    url.searchParams.set("iss", provider.issuer);
    return { redirect_url: url.href };
  }

  async function pending(id: string): Promise<Interaction> {
    const interaction = await provider.Interaction.find(id);
    if (interaction === undefined) throw authErrors.notFound();
    if ((decisionOf(interaction)?.status ?? "pending") !== "pending") throw authErrors.notPending();
    return interaction;
  }

  async function clientOf({ params }: Interaction) {
    const client = await provider.Client.find(String(params.client_id));
    if (client === undefined) throw authErrors.notFound();
    return client;
  }

  async function hasConsented(user: SessionUser, interaction: Interaction): Promise<boolean> {
    const consent = await consents.find(consentId(user, interaction));
    const granted = new Set(consent?.scope?.split(" "));
    return (
      consent !== undefined &&
      scopeOf(interaction)
        .split(" ")
        .every((one) => granted.has(one))
    );
  }

  return app;
}

function decisionOf({ result }: Interaction): Decision | undefined {
  return result?.decision as Decision | undefined;
}

async function record(interaction: Interaction, decision: Decision): Promise<void> {
  interaction.result = { decision };
  await interaction.persist();
}

function scopeOf({ params }: Interaction): string {
  return typeof params.scope === "string" ? params.scope : DEFAULT_SCOPE;
}

function consentId({ id }: SessionUser, { params }: Interaction): string {
  return `${id} ${params.client_id}`;
}
