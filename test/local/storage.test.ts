import { sign } from "hono/jwt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";

/** What hosted Storage answers to each mistake, word for word. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack();
  await stack.sql`
    insert into storage.buckets (id, name, file_size_limit, allowed_mime_types)
    values ('plans', 'plans', 4, '{application/pdf}')`;
});
afterAll(() => stack?.stop());

async function ask(path: string, options: RequestInit = {}) {
  const response = await fetch(`${stack.baseUrl}/storage/v1/object/${path}`, options);
  return { status: response.status, body: await response.json() };
}

function signUpload(object: string, headers: Record<string, string> = asService()) {
  return ask(`upload/sign/${object}`, { method: "POST", headers });
}

function asService() {
  return { apikey: stack.secretKey };
}

async function upload(
  object: string,
  body: BodyInit = "file",
  headers: Record<string, string> = { "content-type": "application/pdf" },
) {
  const { body: signed } = await signUpload(object);
  const token = String(signed.token);
  return ask(`upload/sign/${object}?token=${token}`, { method: "PUT", headers, body });
}

function tokenOf(claims: Record<string, unknown>, secret = stack.jwtSecret) {
  const exp = Math.floor(Date.now() / 1000) + 60;
  return sign({ exp, ...claims }, secret, "HS256");
}

function refused(statusCode: string, code: string, message: string, error = code) {
  return { status: 400, body: { statusCode, code, error, message } };
}

describe("a signed upload", () => {
  test("puts a file where it is downloaded from", async () => {
    expect(await upload("plans/a/plan.pdf")).toEqual({
      status: 200,
      body: { Key: "plans/a/plan.pdf" },
    });
    const signed = await ask("sign/plans/a/plan.pdf", {
      method: "POST",
      headers: { ...asService(), "content-type": "application/json" },
      body: JSON.stringify({ expiresIn: 60 }),
    });
    const file = await fetch(`${stack.baseUrl}/storage/v1${signed.body.signedURL}`);
    expect(await file.text()).toBe("file");
  });

  test("belongs to the user who had it signed", async () => {
    const sub = "5d2f0c5e-6a0e-4f0c-9d7a-3b1f0a9c2e11";
    await stack.sql`
      create policy plans on storage.objects for insert to authenticated
        with check (bucket_id = 'plans' and owner_id = ${stack.sql.unsafe(`'${sub}'`)})`;
    const token = stack.accessToken({ sub });
    const { body } = await signUpload("plans/own.pdf", { authorization: `Bearer ${token}` });
    const put = { method: "PUT", headers: { "content-type": "application/pdf" }, body: "file" };
    expect((await ask(`upload/sign/plans/own.pdf?token=${body.token}`, put)).status).toBe(200);
    const [object] = await stack.sql`
      select owner_id from storage.objects where bucket_id = 'plans' and name = 'own.pdf'`;
    expect(object).toEqual({ owner_id: sub });
  });

  test("is refused a second time", async () => {
    await upload("plans/twice.pdf");
    expect(await upload("plans/twice.pdf")).toMatchObject({ status: 400 });
    expect(await signUpload("plans/twice.pdf")).toEqual(
      refused("409", "KeyAlreadyExists", "The resource already exists", "Duplicate"),
    );
  });

  test("replaces the file when it was signed to do so", async () => {
    await upload("plans/again.pdf");
    const { body } = await signUpload("plans/again.pdf", { ...asService(), "x-upsert": "true" });
    const again = await ask(`upload/sign/plans/again.pdf?token=${body.token}`, {
      method: "PUT",
      headers: { "content-type": "application/pdf" },
      body: "new",
    });
    expect(again.status).toBe(200);
  });

  const tooLarge = () =>
    refused(
      "413",
      "EntityTooLarge",
      "The object exceeded the maximum allowed size",
      "Payload too large",
    );

  test("takes no file larger than the bucket allows, also in a form", async () => {
    expect(await upload("plans/large.pdf", "files")).toEqual(tooLarge());
    const form = new FormData();
    form.append("", new Blob(["files"], { type: "application/pdf" }));
    expect(await upload("plans/large.pdf", form, {})).toEqual(tooLarge());
  });

  test("takes no other type than the bucket allows, and none with a parameter", async () => {
    for (const type of ["text/html", "application/pdf; charset=utf-8"]) {
      expect(await upload("plans/typed.pdf", "file", { "content-type": type })).toEqual(
        refused(
          "415",
          "InvalidMimeType",
          `mime type ${type} is not supported`,
          "invalid_mime_type",
        ),
      );
    }
  });

  test("needs the bucket", async () => {
    expect(await signUpload("nowhere/plan.pdf")).toEqual(
      refused("404", "InvalidRequest", "The related resource does not exist"),
    );
    const token = await tokenOf({ scope: "upload", url: "nowhere/plan.pdf", upsert: false });
    const put = { method: "PUT", headers: { "content-type": "application/pdf" }, body: "file" };
    expect(await ask(`upload/sign/nowhere/plan.pdf?token=${token}`, put)).toEqual(
      refused("404", "NoSuchBucket", "Bucket not found", "Bucket not found"),
    );
  });

  test("asks first, as the caller and with the length of this request, whether it may be", async () => {
    await stack.sql`
      create function public.refuse_probe() returns trigger language plpgsql as $$
      begin
        if new.name = 'probe.pdf' then
          raise exception using errcode = 'PT418', message = concat_ws(' ', current_user, new.version, new.metadata);
        end if;
        return new;
      end $$`;
    await stack.sql`
      create trigger refuse_probe before insert on storage.objects
        for each row execute function public.refuse_probe()`;
    const headers = { ...asService(), "content-type": "application/json" };
    const answer = await ask("upload/sign/plans/probe.pdf", {
      method: "POST",
      headers,
      body: "{}",
    });
    // What else the database says than that it may not be is no answer for a client.
    expect(answer).toEqual({
      status: 500,
      body: {
        statusCode: "500",
        code: "DatabaseError",
        error: "DatabaseError",
        message: "database error, code: PT418",
      },
    });
    await stack.sql`
      create or replace function public.refuse_probe() returns trigger language plpgsql as $$
      begin
        raise exception using errcode = '42501', message = concat_ws(' ', current_user, new.version, new.metadata);
      end $$`;
    const seen = await ask("upload/sign/plans/probe.pdf", { method: "POST", headers, body: "{}" });
    expect(seen).toEqual(
      refused(
        "403",
        "AccessDenied",
        'service_role 1 {"mimetype": "application/json", "contentLength": 2}',
        "Unauthorized",
      ),
    );
    await stack.sql`drop trigger refuse_probe on storage.objects`;
  });
});

describe("a token", () => {
  const put = (token: string | undefined) =>
    ask(`upload/sign/plans/token.pdf${token === undefined ? "" : `?token=${token}`}`, {
      method: "PUT",
      headers: { "content-type": "application/pdf" },
      body: "file",
    });
  const url = "plans/token.pdf";

  test("is needed", async () => {
    expect(await put(undefined)).toEqual(
      refused("400", "InvalidRequest", "querystring must have required property 'token'", "Error"),
    );
  });

  test("expires", async () => {
    const exp = Math.floor(Date.now() / 1000) - 1;
    expect(await put(await tokenOf({ scope: "upload", url, exp }))).toEqual(
      refused("400", "InvalidJWT", '"exp" claim timestamp check failed'),
    );
  });

  test("is Storage's own", async () => {
    expect(await put("x")).toEqual(refused("400", "InvalidJWT", "Invalid Compact JWS"));
    expect(await put(await tokenOf({ scope: "upload", url }, "another secret"))).toEqual(
      refused("400", "InvalidJWT", "signature verification failed"),
    );
  });

  test("allows one thing with one object", async () => {
    expect(await put(await tokenOf({ scope: "download", url }))).toEqual(
      refused("400", "InvalidSignature", "Token is not scoped for upload"),
    );
    expect(await put(await tokenOf({ scope: "upload", url: "plans/other.pdf" }))).toEqual(
      refused("400", "InvalidSignature", "Invalid signature"),
    );
  });
});

describe("a caller", () => {
  test("has a key or a token that is good", async () => {
    expect(await signUpload("plans/plan.pdf", {})).toEqual(
      refused(
        "400",
        "InvalidRequest",
        "headers must have required property 'authorization'",
        "Error",
      ),
    );
    const expired = await tokenOf({ role: "authenticated", exp: 1 });
    for (const [authorization, message] of [
      ["Bearer x", "Invalid Compact JWS"],
      [`Bearer ${expired}`, '"exp" claim timestamp check failed'],
    ] as const) {
      expect(await signUpload("plans/plan.pdf", { authorization })).toEqual(
        refused("403", "AccessDenied", message, "Unauthorized"),
      );
    }
  });

  test("signs what policies allow, and sees no other object", async () => {
    const headers = { apikey: stack.publishableKey };
    expect(await signUpload("plans/plan.pdf", headers)).toEqual(
      refused("403", "AccessDenied", "new row violates row-level security policy", "Unauthorized"),
    );
    await upload("plans/hidden.pdf");
    const sign = { method: "POST", headers: { ...headers, "content-type": "application/json" } };
    const body = JSON.stringify({ expiresIn: 60 });
    expect(await ask("sign/plans/hidden.pdf", { ...sign, body })).toEqual(
      refused("404", "NoSuchKey", "Object not found", "not_found"),
    );
  });
});
