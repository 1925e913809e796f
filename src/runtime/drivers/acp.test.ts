/** Which session an ACP program goes on with, and that no session is told anything twice. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ACP_AGENT } from "../../testing/agents/acp-agent.ts";
import { writtenLines } from "../../testing/written.ts";
import { AcpDriver } from "./acp.ts";
import type { Assignment, ProgramReport } from "./program.ts";
import { sessionFile } from "./sessions.ts";

const SLOW = { timeout: 60_000 };
const REPORT: ProgramReport = {
  ...{ wrote: () => {}, called: () => {}, returned: () => {}, spent: () => {} },
  ask: async () => ({ permission: "cancelled", says: "" }),
};

function open() {
  const folder = mkdtempSync(join(tmpdir(), "parley-acp-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const lines = (name: string): string[] => writtenLines(join(folder, name));
  const sessions = sessionFile(join(folder, "session.json"));
  /** One turn of a runtime that ends behind it. */
  const work = async (words: string[], assignment: Assignment): Promise<void> => {
    const command = {
      ...{ argv: [process.execPath, ACP_AGENT, folder, ...words], cwd: folder, given: {}, grace_ms: 200 },
      env: { PATH: process.env.PATH ?? "" },
    };
    const servers = () => ({ ...{ name: "parley", command: "none", args: [] }, env: [] });
    const driver = new AcpDriver({ command, servers, sessions, limits: { start_ms: 120_000, cancel_ms: 120_000 } });
    await driver.work(assignment, REPORT, new AbortController().signal).finally(() => driver.close());
  };
  const prompts = (): { session: string; texts: string[] }[] => lines("prompts").map((line) => JSON.parse(line));
  const forget = (): void => rmSync(join(folder, `session-${sessions.read()?.session_id}`));
  return { work, prompts, sessions, forget, opened: () => lines("opened"), pids: () => lines("pids").map(Number) };
}

/** What was said so far, under the ids 1, 2, …; of that nothing is answered from `since` on. */
function told(said: readonly string[], { turn_id, since = 0 }: { turn_id: string; since?: number }): Assignment {
  const messages = said.map((content) => ({ role: "user", content }) as const);
  const news = said.map((content, at) => ({ id: String(at + 1), content })).slice(since);
  return { system: "You are scout.", messages, news, turn_id, answered_turn_id: since > 0 ? "1" : null, token: "" };
}

const FIRST = told(["say:one"], { turn_id: "1" });
const SECOND = told(["say:one", "say:two"], { turn_id: "2", since: 1 });
const ALL = ["You are scout.", expect.stringContaining("They said: say:one"), "say:two"];

test.each([
  { can: ["resume", "load"], how: "resume" },
  { can: ["resume"], how: "resume" },
  { can: ["load"], how: "load" },
])("an agent that can $can goes on by session/$how, and is told only what is new", async ({ can, how }) => {
  const { work, prompts, opened } = open();
  await work(can, FIRST);
  await work(can, SECOND);
  expect(opened()).toEqual(["new", how]);
  expect(prompts()[1]).toEqual({ session: prompts()[0]?.session, texts: ["say:two"] });
});

test("one that can neither begins a session, which is told all that was said", async () => {
  const { work, prompts, opened } = open();
  await work([], FIRST);
  await work([], SECOND);
  expect(opened()).toEqual(["new", "new"]);
  expect(prompts()[1]?.texts).toEqual(ALL);
});

test.each(["resume", "load"])(
  "a session that it does not know by session/%s is followed by one that is told all",
  async (how) => {
    const { work, prompts, opened, forget } = open();
    await work([how], FIRST);
    forget();
    await work([how], SECOND);
    expect(opened()).toEqual(["new", how, "new"]);
    expect(prompts()[1]?.session).not.toBe(prompts()[0]?.session);
    expect(prompts()[1]?.texts).toEqual(ALL);
  },
);

test.each(["resume", "load"])(
  "CRASH-1: after session/%s what it has shown that it has is not told again",
  async (how) => {
    const { work, prompts, sessions, pids } = open();
    const killed = work([how], told(["say:Well.; hang"], { turn_id: "1" }));
    await expect.poll(() => sessions.read()?.is_taken, SLOW).toBe(true);
    process.kill(pids()[0] ?? 0, "SIGKILL");
    await expect(killed).rejects.toThrow("SIGKILL");
    // Nothing of its answer came into the log: what was said is news there.
    await work([how], told(["say:Well.; hang", "say:More."], { turn_id: "2" }));
    expect(prompts()[1]).toEqual({ session: prompts()[0]?.session, texts: ["say:More."] });
    await work([how], told(["say:Well.; hang", "say:More."], { turn_id: "3" }));
    expect(prompts()[2]?.texts).toEqual([expect.stringContaining("You were interrupted")]);
  },
);

test("CRASH-1: where it is not known whether a session has what was said, another one is told all of it", async () => {
  const { work, prompts, sessions, pids } = open();
  const killed = work(["resume"], told(["hang"], { turn_id: "1" }));
  await expect.poll(prompts, SLOW).toHaveLength(1);
  process.kill(pids()[0] ?? 0, "SIGKILL");
  await expect(killed).rejects.toThrow("SIGKILL");
  expect(sessions.read()).toMatchObject({ is_taken: false });
  await work(["resume"], told(["hang", "say:More."], { turn_id: "2" }));
  expect(prompts()[1]?.session).not.toBe(prompts()[0]?.session);
  expect(prompts()[1]?.texts).toEqual(["You are scout.", "hang", "say:More."]);
});
