import { expect, test } from "vitest";
import { checkQueue } from "./queue.ts";

/** What doctor says of these ends that nobody took. */
async function said(...given_up: boolean[]) {
  const wakes = given_up.map((lost) => ({
    ...{ waiter: "trigger:nightly", ended_at: "2027-03-01T09:00:00Z", offers: 2, given_up: lost },
  }));
  const cli = {
    url: "http://127.0.0.1:8765",
    find: () => ({ target: { token: "t" }, call: async () => ({ wakes }) }),
    out: { time: (time: string) => time },
    line: (words: string) => `parley ${words}`,
  };
  // The part of it that is asked here.
  const [check] = await checkQueue({ cli: cli as never, fix: false });
  return check;
}

test("of ends that no run could tell doctor says that none tries it again, and where to say what becomes of them", async () => {
  const waiting = await said(false, false);
  expect(waiting).toMatchObject({ name: "wakes", state: "warn" });
  expect(waiting?.message).toMatch(/^2 ends of tasks were not taken .* was offered 2 times\.$/);
  expect(waiting?.advice).not.toContain("parley needs");
  const lost = await said(false, true);
  expect(lost?.message).toMatch(/offered 2 times\. Of 1 end no run could tell, and none tries it again\.$/);
  expect(lost?.advice).toMatch(/ Say whether it is tried again or dropped: parley needs$/);
  expect(await said()).toMatchObject({ state: "pass" });
});
