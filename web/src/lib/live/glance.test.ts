import { expect, test } from "vitest";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import { Needs } from "#lib/needs/needs.svelte.ts";
import { Failing } from "#lib/runs/failing.svelte.ts";
import { Glance } from "./glance.ts";

interface Asked {
  parts: string[];
  full?: string[];
}

/** What every page shows, of a hub that answers each question when the test says so. */
function followed() {
  const asked: Asked[] = [];
  const waiting: (() => void)[] = [];
  const call = (_tool: string, { parts, full = [] }: Asked): Promise<object> => {
    asked.push({ parts, full });
    const needs = { count: 1, ...(full.includes("needs") && { needs: [{ id: "7" }], put_off: [] }) };
    const runs = { failing: 1, ...(full.includes("runs") && { streaks: [{ name: "nightly" }] }) };
    return new Promise((resolve) => waiting.push(() => resolve({ parts: { needs, runs } })));
  };
  const watch = (_uri: string, hint: (error: undefined, anew: boolean) => void): (() => void) => {
    queueMicrotask(() => hint(undefined, true));
    return () => {};
  };
  // Only what reading needs of it.
  const hub = { client: { call, watch } } as unknown as Hub;
  const glance = new Glance(hub);
  const [needs, failing] = [new Needs(hub, glance), new Failing(glance)];
  return { asked, needs, failing, stop: glance.follow(), answer: (nth: number) => waiting[nth]?.() };
}

test("a page that is opened while less of it is on its way is read in full, and one that has it all is not read again", async () => {
  const { asked, needs, failing, stop, answer } = followed();
  await expect.poll(() => asked).toEqual([{ parts: ["needs", "runs"], full: [] }]);
  needs.open();
  failing.open();
  answer(0);
  await expect.poll(() => asked.slice(1)).toEqual([{ parts: ["needs", "runs"], full: ["needs", "runs"] }]);
  expect(needs.loaded).toBe(false);
  answer(1);
  await expect.poll(() => needs.loaded).toBe(true);
  expect([needs.list, failing.streaks]).toEqual([[{ id: "7" }], [{ name: "nightly" }]]);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(asked.length).toBe(2);
  stop();
});
