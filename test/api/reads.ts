import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { listOf, one } from "../../types/contracts/pages.ts";
import type { TestStack } from "../stack/harness.ts";
import { createAgency, createKey, type TestAgency } from "./agency.ts";
import { type Answer, clientOf } from "./client.ts";

/** One resource that an agency's credentials read. */
export interface Reads {
  /** Path below /api/v1, for example /viewings. */
  path: string;
  /** What one row looks like. */
  row: z.ZodType<{ id: string }>;
  /** The permission that reading takes, or nothing when any credential will do. */
  permission?: string;
  stack(): TestStack;
  /** Stores a row as the application would have, and gives its id. */
  create(agency: TestAgency): Promise<string>;
}

/** The rules that every list and its `/{id}` share. */
export function describeReads({ path, row, permission, stack, create }: Reads): void {
  describe(`GET ${path} and GET ${path}/{id}`, () => {
    let agency: TestAgency;
    let other: TestAgency;
    let ids: string[];
    let foreign: string;

    beforeAll(async () => {
      agency = await createAgency(stack());
      other = await createAgency(stack());
      foreign = await create(other);
      ids = [];
      for (let n = 0; n < 3; n += 1) ids.unshift(await create(agency));
    });

    test("list the agency's rows and no other's, newest first", async () => {
      const answer = await agency.client.get(path);
      expect(answer.status).toBe(200);
      const page = listOf(row).parse(answer.body);
      expect(page.data.map(({ id }) => id)).toEqual(ids);
      expect(page.next_cursor).toBeNull();
    });

    test("show one row as the list does", async () => {
      const { body } = await agency.client.get(path);
      const answer = await agency.client.get(`${path}/${ids[1]}`);
      expect(answer.status).toBe(200);
      expect(one(row).parse(answer.body).data).toEqual(body.data[1]);
    });

    test("page by cursor, unmoved by rows that come in between", async () => {
      const first = await agency.client.get(`${path}?limit=2`);
      ids.unshift(await create(agency));
      const second = await agency.client.get(
        `${path}?limit=2&cursor=${encodeURIComponent(first.body.next_cursor)}`,
      );
      const seen = [...first.body.data, ...second.body.data].map(({ id }) => id);
      expect(seen).toEqual(ids.slice(1));
      expect(second.body.next_cursor).toBeNull();
    });

    test("answer 404 for an id that is unknown, malformed or another agency's", async () => {
      for (const id of [randomUUID(), "1", foreign]) {
        const answer = await agency.client.get(`${path}/${id}`);
        expect(answer.status).toBe(404);
        expect(answer.body.error.code).toBe("not_found");
      }
    });

    test("refuse parameters that are not known, and a cursor that is none", async () => {
      expectRefused(await agency.client.get(`${path}?page=2`), "invalid_query", "page");
      expectRefused(await agency.client.get(`${path}?cursor=nonsense`), "invalid_cursor");
      expectRefused(await agency.client.get(`${path}/${ids[0]}?a=1`), "invalid_query", "a");
    });

    test("need a credential that may read them", async () => {
      expect((await clientOf(stack().baseUrl).get(path)).status).toBe(401);
      const key = await createKey(stack(), agency.id, { permissions: [] });
      for (const target of [path, `${path}/${ids[0]}`]) {
        const answer = await clientOf(stack().baseUrl, key).get(target);
        expect(answer.status).toBe(permission ? 403 : 200);
        if (permission) {
          expect(answer.body.error.details).toEqual({ required_permission: permission });
        }
      }
    });
  });
}

/** The ids that a list answers. */
export async function idsOf(agency: TestAgency, path: string): Promise<string[]> {
  const answer = await agency.client.get(path);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.map(({ id }: { id: string }) => id);
}

/** Asserts a 422 with its reason, and the member of query or body that it names. */
export function expectRefused(answer: Answer, reason: string, path?: string): void {
  expect(answer.status, answer.text).toBe(422);
  expect(answer.body.error).toMatchObject({
    code: "validation_error",
    details: { reason, ...(path === undefined ? {} : { issues: [{ path }] }) },
  });
}
