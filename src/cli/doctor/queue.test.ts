import { expect, test } from "vitest";
import { checkQueue } from "./queue.ts";

/** What doctor says of these ends that nobody took, and of a wake folder of which the hub says this. */
async function said({ given_up = [], wake_folder = "ok" }: { given_up?: boolean[]; wake_folder?: string }) {
  const wakes = given_up.map((lost) => ({
    ...{ waiter: "trigger:nightly", ended_at: "2027-03-01T09:00:00Z", offers: 2, given_up: lost },
  }));
  const cli = {
    url: "http://127.0.0.1:8765",
    find: () => ({
      target: { token: "t" },
      call: async () => ({ wakes }),
      get: async () => ({ status: 200, body: { wake_folder } }),
    }),
    out: { time: (time: string) => time },
    line: (words: string) => `parley ${words}`,
  };
  // The part of it that is asked here.
  const checks = await checkQueue({ cli: cli as never, fix: false });
  const named = (name: string) => checks.find((check) => check.name === name);
  return { ends: named("wakes"), folder: named("wake folder") };
}

test("of ends that no run could tell doctor says that none tries it again, and where to say what becomes of them", async () => {
  const { ends: waiting } = await said({ given_up: [false, false] });
  expect(waiting).toMatchObject({ name: "wakes", state: "warn" });
  expect(waiting?.message).toMatch(/^2 ends of tasks were not taken .* was offered 2 times\.$/);
  expect(waiting?.advice).not.toContain("parley needs");
  const { ends: lost } = await said({ given_up: [false, true] });
  expect(lost?.message).toMatch(/offered 2 times\. Of 1 end no run could tell, and none tries it again\.$/);
  expect(lost?.advice).toMatch(/ Say whether it is tried again or dropped: parley needs$/);
  expect((await said({})).ends).toMatchObject({ state: "pass" });
});

test("doctor says that whoever watches files is not woken, where the hub cannot write them", async () => {
  expect((await said({})).folder).toMatchObject({ state: "pass" });
  const { folder } = await said({ wake_folder: "it is no folder." });
  expect(folder).toMatchObject({ state: "warn", advice: expect.stringContaining("PARLEY_WAKE_DIR") });
  expect(folder?.message).toBe("Whoever watches the wake folder of the hub is not woken: it is no folder.");
});
