import { expect, test } from "vitest";
import { decisionWords } from "#lib/needs/decision-words.ts";
import { csvOf, habitsOf, habitWords } from "./decisions.ts";
import type { Approval } from "./types.ts";

const ASKED = Date.parse("2027-03-01T08:00:00Z");
const asked = (digest: string, outcome: Approval["outcome"], seconds: number): Approval =>
  ({
    id: "1",
    digest,
    outcome,
    agent: "scout",
    tool: "runtime_exec",
    covers: "arguments",
    arguments: { cmd: ["date"] },
    reason: null,
    requested_at: new Date(ASKED).toISOString(),
    decided_at: new Date(ASKED + seconds * 1000).toISOString(),
  }) as unknown as Approval;

test("how people decide is counted from what they decided alone, and what they always approve is named", () => {
  const always = [1, 2, 90].map((seconds) => asked("a", "user_approve", seconds));
  const sometimes = [asked("b", "user_approve", 3), asked("b", "user_approve", 4), asked("b", "user_deny_continue", 5)];
  const seen = habitsOf([...always, ...sometimes, asked("c", "policy_allow", 0), asked("d", null, 0)]);
  expect(seen).toMatchObject({
    decided: 6,
    approved: 5,
    median_ms: 3000,
    often: [{ times: 3, call: { digest: "a" } }],
  });
  expect(habitsOf([])).toEqual({ decided: 0, approved: 0, median_ms: null, often: [] });
});

test("a table holds every field as it is, and no cell is a formula", () => {
  const [head = "", row = ""] = csvOf([{ ...asked("a", "user_approve", 1), reason: '=1+1, "so"' }]).split("\r\n");
  expect(head.split(",")).toContain("digest");
  expect(row).toContain('"{""cmd"":[""date""]}","a"');
  expect(row).toContain(`"'=1+1, ""so"""`);
});

test("who decided is said with where they were, and of what waits that nobody has", () => {
  const one = { ...asked("a", "user_approve", 1), state: "completed", edited: false } as const;
  expect(decisionWords({ ...one, decided_by: "ana", decided_via: "cli" })).toBe("Approved by ana at a terminal.");
  const waiting = { state: "pending", outcome: null, decided_by: null, decided_via: null } as const;
  expect(decisionWords({ ...one, ...waiting })).toBe("Waits for a person to decide.");
});

test("how long something took is said as short as does", () => {
  const within = (seconds: number) => habitWords(habitsOf([asked("a", "user_approve", seconds)]));
  expect(within(40)).toBe("People have decided one within 40 s, and approved it.");
  expect([within(61), within(5 * 3600)]).toEqual([expect.stringContaining("1 min,"), expect.stringContaining("5 h,")]);
  const several = [asked("a", "user_approve", 40), asked("b", "user_deny_continue", 40)];
  expect(habitWords(habitsOf(several))).toBe(
    "Of the last 2 that people decided, 1 was approved; half of them were decided within 40 s.",
  );
});
