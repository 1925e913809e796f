import { expect, onTestFinished, test, vi } from "vitest";
import { Agents } from "./agents.svelte.ts";
import { firstLine } from "./line.ts";
import { moodOf, moodWords } from "./mood.ts";

const scout = {
  lifecycle: "ready",
  run_phase: "idle",
  asks: 0,
  presence: "active",
  last_seen_at: "2026-11-16T12:00:00.000Z",
} as const;

test("an agent that is ready is as its phase says, any other as its lifecycle does", () => {
  expect(moodOf(scout).words).toBe("Ready");
  expect(moodOf({ ...scout, run_phase: "sampling" })).toEqual({ kind: "working", words: "Thinking" });
  expect(moodOf({ ...scout, run_phase: "waiting_input" }).words).toBe("Waiting for you");
  expect(moodOf({ ...scout, lifecycle: "stopped", run_phase: "sampling" }).kind).toBe("away");
  expect(moodOf({ ...scout, lifecycle: "failed" }).kind).toBe("failed");
});

test("U39: who waits for a person says for how long, and nobody else does", () => {
  const waiting = moodOf({ ...scout, run_phase: "waiting_input" });
  const since = "2026-11-16T12:00:00.000Z";
  const after = (minutes: number) => moodWords(waiting, since, Date.parse(since) + minutes * 60_000);
  expect([after(0.9), after(4.5), after(59)]).toEqual([
    ...["Waiting for you", "Waiting for you 4 min", "Waiting for you 59 min"],
  ]);
  expect([after(61), after(47 * 60), after(72 * 60)]).toEqual([
    ...["Waiting for you 1 h", "Waiting for you 47 h", "Waiting for you 3 days"],
  ]);
  expect(moodWords(waiting, null, Date.parse(since))).toBe("Waiting for you");
  expect(moodWords(moodOf(scout), since, Date.parse(since) + 600_000)).toBe("Ready");
});

test("a token that was never used is not ready, who has gone is away, and of a hub that is away nothing is known", () => {
  const made = { ...scout, presence: "offline", last_seen_at: null } as const;
  expect(moodOf(made)).toEqual({ kind: "away", words: "Not reporting" });
  const gone = { ...scout, presence: "offline" } as const;
  const away = { kind: "away", words: "Away" };
  expect(moodOf({ ...gone, run_phase: "tools_running" })).toEqual(away);
  expect(moodOf({ ...gone, lifecycle: "starting" })).toEqual(away);
  expect(moodOf({ ...gone, lifecycle: "failed" }).words).toBe("Failed");
  // What it asked before it went is no less asked.
  expect(moodOf({ ...gone, asks: 2 })).toEqual({ kind: "waiting", words: "Away, waiting for you" });
  expect(moodOf({ ...scout, run_phase: "sampling" }, false)).toEqual({ kind: "away", words: "Unknown" });
});

test("the page asks again each minute while it is looked at: who goes without a word is told of by nobody", () => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { visibilityState: "visible" });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const asked: string[] = [];
  const hub = { live: true };
  const refresh = async (part: string) => void asked.push(part);
  const stop = new Agents(hub, { add: () => {}, refresh }).follow();
  vi.advanceTimersByTime(120_000);
  expect(asked).toEqual(["agents", "agents"]);
  hub.live = false;
  vi.advanceTimersByTime(60_000);
  hub.live = true;
  vi.stubGlobal("document", { visibilityState: "hidden" });
  vi.advanceTimersByTime(60_000);
  expect(asked).toHaveLength(2);
  vi.stubGlobal("document", { visibilityState: "visible" });
  dispatchEvent(new Event("visibilitychange"));
  expect(asked).toHaveLength(3);
  stop();
  vi.advanceTimersByTime(120_000);
  expect(asked).toHaveLength(3);
});

test("a phase that a newer hub has and this page does not know is said to be unknown", () => {
  // What the type says cannot come, a newer hub sends.
  const newer = { ...scout, run_phase: "dreaming" } as unknown as Parameters<typeof moodOf>[0];
  expect(moodOf(newer).words).toBe("Unknown");
});

test("the line in the list has the first words of a message and none of its markup", () => {
  expect(firstLine("## Done\n\nboth are fixed")).toBe("Done");
  expect(firstLine("**bold** and `code` and [a link](https://example.com)")).toBe("bold and code and a link");
  expect(firstLine("- one\n- two")).toBe("one");
  expect(firstLine("_look_ at `chat_read_before`, __please__")).toBe("look at chat_read_before, please");
  expect(firstLine("> quoted")).toBe("quoted");
  expect(firstLine("x".repeat(1000))).toHaveLength(120);
  expect(firstLine("")).toBe("");
});

test("agents stand by name, as people count", () => {
  let take: (parts: { agents: object[] }) => void = () => {};
  const add = (_: string, part: { take: typeof take }): void => {
    take = part.take;
  };
  const agents = new Agents({ live: true }, { add: add as never, refresh: async () => {} });
  take({ agents: ["worker-10", "worker-1", "worker-2"].map((name) => ({ ...scout, name })) });
  expect(agents.list.map(({ name }) => name)).toEqual(["worker-1", "worker-2", "worker-10"]);
});
