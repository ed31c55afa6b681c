import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  type Findings,
  fingerprint,
  outcomes,
  type TestDeployment,
  testDeployment,
} from "./deployment.ts";

let deployment: TestDeployment;
let key: string;

beforeAll(async () => {
  deployment = await testDeployment();
  key = await deployment.stack.createApiKey(deployment.agencyId);
});
afterAll(() => deployment?.close());
afterEach(() => deployment.front.instead.clear());

describe("with a key", () => {
  const upload = async (apiKey = key): Promise<Findings> => deployment.examine({ apiKey });

  test("says that there is nothing to hang a document on", async () => {
    const findings = await upload();
    expect(outcomes(findings)).toEqual({ upload: "unchecked" });
    expect(findings.upload?.says).toMatch(/^the agency has no property, lead or operation yet/);
  });

  describe("and a property", () => {
    beforeAll(async () => {
      await deployment.stack.sql`
        insert into public.properties (agency_id, title, listing_type) values (${deployment.agencyId}, 'Piso', 'sale')`;
    });

    test("uploads a document and leaves it rejected, and nothing else", async () => {
      const { superuser, stack } = deployment;
      const before = await fingerprint(superuser);
      expect(outcomes(await upload())).toEqual({});
      const after = await fingerprint(superuser);
      const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
      // Who asks is counted and noted, as for any caller.
      const counted = ["api_keys", "the rate limits' sequences"];
      expect(changed.filter((name) => !counted.includes(name))).toEqual([
        "documents",
        "storage.objects",
      ]);
      const rows =
        await stack.sql`select kind, name, status, lead_id, operation_id from public.documents`;
      expect(rows).toEqual([
        {
          kind: "other",
          name: "Deployment check",
          status: "rejected",
          lead_id: null,
          operation_id: null,
        },
      ]);
    });

    test("says that the key may not upload", async () => {
      const reader = await deployment.stack.createApiKey(deployment.agencyId, ["properties:read"]);
      const findings = await upload(reader);
      expect(outcomes(findings)).toEqual({ upload: "unchecked" });
      expect(findings.upload?.says).toBe("the key lacks documents:write");
    });

    test("says that the key is unknown, and never repeats it", async () => {
      const unknown = `cor_00000000_${"ab".repeat(24)}`;
      const findings = await upload(unknown);
      expect(outcomes(findings)).toEqual({ "api key": "wrong", upload: "unchecked" });
      expect(JSON.stringify(findings)).not.toContain(unknown);
    });

    test.each([
      ["POST /storage/v1/object/upload/sign", 500, "Storage issued no signed upload"],
      ["PUT /storage/v1/object/upload/sign", 413, "Storage did not take the file: it answered 413"],
      ["POST /storage/v1/object/sign", 500, "Storage issued no signed download (answered 503)"],
      ["GET /storage/v1/object/sign", 404, "a different file came back (answered 404)"],
    ])("names what fails of an upload: %s answers %i", async (request, status, says) => {
      deployment.front.instead.set(request, () => Response.json({ message: "no" }, { status }));
      const findings = await upload();
      expect(outcomes(findings)).toEqual({ upload: "wrong" });
      expect(findings.upload?.says).toContain(`${says}; what stays: document `);
    });

    test("names that no document notices its file", async () => {
      const { superuser } = deployment;
      await superuser`alter table storage.objects disable trigger corredor_500_document_arrived`;
      const findings = await upload();
      await superuser`alter table storage.objects enable trigger corredor_500_document_arrived`;
      expect(outcomes(findings)).toEqual({ definitions: "wrong", upload: "wrong" });
      expect(findings.upload?.says).toMatch(
        /^the file was taken, and the document is requested, not received/,
      );
    });
  });
});
