import { beforeEach, describe, expect, test } from "vitest";
import { WorkerBudget } from "../../functions/_shared/worker_budget.ts";

let age_ms: number;
let budget: WorkerBudget;

beforeEach(() => {
  age_ms = 0;
  budget = new WorkerBudget({ age_ms: () => age_ms });
});

describe("the CPU of a worker", () => {
  test("is for all its requests together, and its start counts", () => {
    budget.requestCame();
    const first = budget.cpu_ms;
    expect(first).toBeLessThan(1000);
    budget.begin(first - 100);
    expect(budget.cpu_ms).toBe(100);
    budget.end(first - 100);
    expect(budget.cpu_ms).toBe(100);
  });

  test("is for less than 2 s on a machine half as fast, whenever a request comes", () => {
    budget.requestCame();
    const start_ms = 900 - budget.cpu_ms;
    // The platform finds that less than a second is used, however much we think there was.
    budget.spend(budget.cpu_ms);
    expect(2 * (start_ms + 540)).toBeLessThan(2000);
    for (let requests = 0; requests < 10; requests++) {
      budget.requestCame();
      expect(1000 + 2 * budget.cpu_ms).toBeLessThan(2000);
      budget.spend(budget.cpu_ms);
    }
  });

  test("is not given twice for what has begun and not ended", () => {
    budget.requestCame();
    budget.begin(budget.cpu_ms);
    expect(budget.cpu_ms).toBe(0);
    budget.requestCame();
    budget.requestCame();
    expect(budget.cpu_ms).toBe(0);
  });

  test("is enough for some work with each request, or the queue would stand still", () => {
    for (let requests = 0; requests < 100; requests++) {
      budget.requestCame();
      expect(budget.cpu_ms).toBeGreaterThan(100);
      budget.spend(budget.cpu_ms);
    }
  });
});

describe("the time of a worker", () => {
  test("ends with its life, not with the request's: at 74 s a run has 61 s, with 15 s to end it", () => {
    age_ms = 74_000;
    budget.requestCame();
    expect(budget.timeFor(15_000)).toBe(61_000);
    age_ms = 135_000;
    expect(budget.timeFor(15_000)).toBe(0);
  });

  test("is longer where a request comes to a worker older than half of 150 s", () => {
    age_ms = 190_000;
    budget.requestCame();
    expect(budget.timeFor(15_000)).toBe(175_000);
  });
});

test("where nothing is limited there is no end", () => {
  const unlimited = new WorkerBudget({ unlimited: true, age_ms: () => 1e9 });
  unlimited.spend(1e9);
  expect(unlimited.cpu_ms).toBe(Number.POSITIVE_INFINITY);
  expect(unlimited.timeFor(1)).toBe(Number.POSITIVE_INFINITY);
});
