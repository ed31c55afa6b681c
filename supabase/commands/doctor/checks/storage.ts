import { type Group, notice, right, unchecked, type Verdict, wrong } from "../check.ts";
import type { Deployment } from "../deployment.ts";
import { type Answer, ask, describeAnswer, isLoopback, jsonOf, member } from "../http.ts";

/** Where the files of documents go. */
export const storageChecks: Group = {
  title: "Documents",
  checks: [
    {
      name: "bucket documents",
      right: "is there, private, with the limits of the checkout",
      needs: ["database"],
      async look(deployment) {
        const found = (await deployment.catalog()).bucket?.documents;
        const expected = deployment.expected.bucket?.documents;
        if (found === expected) return undefined;
        const mend = "its statement can be run again: sql/40_pipeline/document_files.data.sql";
        if (found === undefined) return wrong("is not there: no document can be uploaded", mend);
        return wrong(`is ${found}; it must be ${expected}`, mend);
      },
    },
    {
      name: "api key",
      right: "the key is taken",
      needs: ["api", "key"],
      async look(deployment) {
        const answer = await call(deployment, "GET", "/flows");
        if (answer.status === 200) return undefined;
        return wrong(
          answer.status === 401
            ? "the key is unknown, expired or revoked"
            : `GET /flows ${describeAnswer(answer)}`,
          "npm run admin -- create-api-key --agency SLUG --name doctor --permissions documents:read,documents:write,properties:read",
        );
      },
    },
    {
      name: "upload",
      right: "a document was uploaded by its signed URL and downloaded again",
      needs: ["api", "key"],
      look: uploadOnce,
    },
  ],
};

/** A PDF of one empty page, as small as one can be. */
const FILE = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`;
const TYPE = "application/pdf";

async function uploadOnce(deployment: Deployment): Promise<Verdict | undefined> {
  const owner = await ownerOf(deployment);
  if (typeof owner === "string") return unchecked(owner);
  const created = await call(deployment, "POST", "/documents", {
    ...owner,
    kind: "other",
    name: "Deployment check",
    content_type: TYPE,
    size_bytes: FILE.length,
  });
  if (created.status === 403) return unchecked(`the key lacks ${lackingOf(created)}`);
  if (created.status === 401) return unchecked("the key is not taken");
  if (created.status !== 201) return wrong(`POST /documents ${describeAnswer(created)}`, LOGS);
  const id = String(member(member(jsonOf(created), "data"), "id"));
  const verdict = await sendAndFetch(deployment, id, member(jsonOf(created), "upload"));
  // A document is never removed by the API; rejected, it counts for nothing.
  const rejected = await call(deployment, "PATCH", `/documents/${id}`, { status: "rejected" });
  const stays = `what stays: document ${id}${rejected.status === 200 ? ", marked rejected," : ""} and its file`;
  return { ...verdict, says: `${verdict.says}; ${stays}` };
}

async function sendAndFetch(deployment: Deployment, id: string, upload: unknown): Promise<Verdict> {
  const url = member(upload, "url");
  if (typeof url !== "string" || !URL.canParse(url)) {
    return wrong("Storage issued no signed upload", LOGS);
  }
  const elsewhere = misplaced(deployment, url);
  if (elsewhere !== undefined) return elsewhere;
  const put = await ask(url, { method: "PUT", headers: { "content-type": TYPE }, body: FILE });
  if (put.status !== 200)
    return wrong(`Storage did not take the file: it ${describeAnswer(put)}`, LOGS);
  const read = await call(deployment, "GET", `/documents/${id}`);
  if (read.status === 403)
    return notice(`the file was taken; the key lacks ${lackingOf(read)}, so it was not fetched`);
  const status = member(member(jsonOf(read), "data"), "status");
  if (status !== "received") {
    return wrong(
      `the file was taken, and the document is ${status ?? "not to be read"}, not received`,
      "the trigger corredor_500_document_arrived on storage.objects is missing or off: sql/40_pipeline/document_files.sql",
    );
  }
  const signed = await call(deployment, "GET", `/documents/${id}/download`);
  const link = member(member(jsonOf(signed), "data"), "url");
  if (typeof link !== "string" || !URL.canParse(link)) {
    return wrong(`Storage issued no signed download (${describeAnswer(signed)})`, LOGS);
  }
  const file = await ask(link);
  return file.text === FILE
    ? right("a document was uploaded by its signed URL, was received, and was downloaded again")
    : wrong(`a different file came back (${describeAnswer(file)})`, LOGS);
}

const LOGS = "look at the logs of Storage and of the function api (dashboard: Logs)";

/** The sender of the file cannot reach an address that only containers know. */
function misplaced({ url: own }: Deployment, url: string): Verdict | undefined {
  const { hostname, origin, protocol } = new URL(url);
  if (hostname.includes(".") || hostname === "localhost") {
    if (protocol === "https:" || isLoopback(url) || (own && new URL(own).hostname === hostname))
      return undefined;
  }
  return wrong(
    `the signed upload is at ${origin}, which callers cannot reach`,
    "set PUBLIC_SUPABASE_URL to the project's public address",
  );
}

/** What the document will belong to, preferably a property, which concerns no person; or why there is nothing. */
async function ownerOf(deployment: Deployment): Promise<Record<string, string> | string> {
  let denied = 0;
  for (const [path, name] of [
    ["/properties", "property_id"],
    ["/leads", "lead_id"],
    ["/operations", "operation_id"],
  ] as const) {
    const answer = await call(deployment, "GET", `${path}?limit=1`);
    if (answer.status === 401) return "the key is not taken";
    if (answer.status === 403) denied += 1;
    const rows = member(jsonOf(answer), "data");
    const id = Array.isArray(rows) ? member(rows[0], "id") : undefined;
    if (typeof id === "string") return { [name]: id };
  }
  return denied > 0
    ? "the key may read nothing that a document could belong to (properties:read, leads:read or operations:read)"
    : "the agency has no property, lead or operation yet that a document could belong to";
}

function lackingOf(answer: Answer): unknown {
  return member(member(member(jsonOf(answer), "error"), "details"), "required_permission");
}

async function call(
  deployment: Deployment,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const { baseUrl } = await deployment.api();
  return ask(`${baseUrl}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${deployment.apiKey}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
