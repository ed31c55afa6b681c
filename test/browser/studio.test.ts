import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";
import { launchBrowser, openPage, picture, shownText } from "./browser.ts";

let stack: TestStack;
let browser: Browser;
let operation: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([testStack(), launchBrowser()]);
  const agency = await stack.createAgency();
  const [row] = await stack.sql<{ id: string }[]>`
    with contact as (
      insert into public.contacts (agency_id, full_name) values (${agency}, 'Pau Serra') returning id),
    lead as (
      insert into public.leads (agency_id, full_name, contact_id)
      select ${agency}, 'Pau Serra', contact.id from contact returning id)
    insert into public.operations (agency_id, lead_id, operation_type, stage, created_at)
    select ${agency}, lead.id, 'buy', 'viewings', now() - interval '10 days' from lead returning id`;
  operation = row?.id ?? "";
  await stack.reloadSchema();
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

/** The table editor at a usual width. */
async function editorOf(table: string): Promise<Page> {
  const { page } = await openPage(browser);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${stack.studioUrl}/editor/public.${table}`);
  await page.getByText("Page 1 of").waitFor();
  return page;
}

/** Double-click, type, Enter. */
async function editStage(page: Page, from: string, to: string): Promise<void> {
  await page.getByRole("gridcell", { name: from, exact: true }).dblclick();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(to);
  await page.keyboard.press("Enter");
}

async function stageNow(): Promise<string | undefined> {
  const [row] = await stack.sql<{ stage: string }[]>`
    select stage from public.operations where id = ${operation}`;
  return row?.stage;
}

describe("A person in Studio", () => {
  test("reaches the last table of the list with the wheel, on a low screen too", async () => {
    const page = await editorOf("agencies");
    await page.setViewportSize({ width: 1280, height: 600 });
    const last = page.getByText("viewings", { exact: true });
    const bottomOf = async () => ((await last.boundingBox())?.y ?? Number.NaN) + 10;
    expect(await bottomOf()).toBeGreaterThan(600);
    await page.mouse.move(150, 300);
    await page.mouse.wheel(0, 2000);
    await expect.poll(bottomOf).toBeLessThan(600);
    await page.getByText("viewings", { exact: true }).click();
    await page.waitForURL(/public\.viewings/);
  });

  test("is told why a move is refused, until they close it, and sees the old stage", async () => {
    const page = await editorOf("operations");
    await editStage(page, "viewings", "won");
    const notice = page.getByRole("alert");
    await notice.waitFor();
    expect(await shownText(notice)).toContain(
      "A stage moves one step forward; only the last active stage leads to a successful close.",
    );
    await picture(page, "studio-refused");
    expect(await stageNow()).toBe("viewings");
    await page.getByRole("gridcell", { name: "viewings", exact: true }).waitFor();
    await notice.getByRole("button", { name: "Close" }).click();
    expect(await notice.count()).toBe(0);

    await editStage(page, "viewings", "offer");
    await notice.waitFor();
    expect(await shownText(notice)).toContain("Propiedades visitadas, Propiedad favorita elegida");
    await picture(page, "studio-gate");
  });

  test.each([
    ["stuck_operations", ["client", "agent", "property", "pending_steps"]],
    ["operations", ["operation_type", "flow", "stage"]],
    ["operation_steps", ["step_id", "done", "amount"]],
  ])("has what matters of %s on the screen without scrolling", async (table, columns) => {
    const page = await editorOf(table);
    for (const column of columns) {
      const box = await page.getByText(column, { exact: true }).first().boundingBox();
      expect(box && box.x + box.width, column).toBeLessThan(1440);
    }
    await picture(page, `studio-${table}`);
  });
});
