/** What a client's session is given, when a runtime was killed in the middle of it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "../../local/processes.ts";
import { COMMAND_AGENT } from "../../testing/agents/command-agent.ts";
import { writtenLines } from "../../testing/written.ts";
import { CommandDriver } from "./command.ts";
import type { Assignment, ProgramReport } from "./program.ts";
import { sessionFile } from "./sessions.ts";

const SLOW = { timeout: 60_000 };
const REPORT: ProgramReport = {
  wrote: () => {},
  called: () => {},
  returned: () => {},
  spent: () => {},
  ask: async () => ({ permission: "cancelled", says: "" }),
};

function open() {
  const folder = mkdtempSync(join(tmpdir(), "parley-command-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const sessions = sessionFile(join(folder, "session.json"));
  const lines = (name: string): string[] => writtenLines(join(folder, name));
  /** Of another runtime each time. */
  const work = (assignment: Assignment, signal = new AbortController().signal): Promise<void> => {
    const command = {
      ...{ argv: [process.execPath, COMMAND_AGENT, "claude", folder, "--"], cwd: folder, given: {} },
      ...{ env: { PATH: process.env.PATH ?? "" }, grace_ms: 200 },
    };
    const hub = { url: "http://127.0.0.1:9/mcp/loop", space: undefined };
    return new CommandDriver({ client: "claude", command, hub, sessions }).work(assignment, REPORT, signal);
  };
  const prompts = (): { session: string; texts: string[] }[] => lines("prompts").map((line) => JSON.parse(line));
  return { work, prompts, sessions, pids: () => lines("pids").map(Number) };
}

/** What was said so far, under the ids 1, 2, …; of that nothing is answered from `since` on. */
function told(said: readonly string[], { turn_id, since = 0 }: { turn_id: string; since?: number }): Assignment {
  const messages = said.map((content) => ({ role: "user", content }) as const);
  const news = said.map((content, at) => ({ id: String(at + 1), content })).slice(since);
  return { system: "You are scout.", messages, news, turn_id, answered_turn_id: since > 0 ? "1" : null, token: "" };
}

test("CRASH-1: a session that has shown that it has what was said is not given it again, and goes on", async () => {
  const { work, prompts, sessions, pids } = open();
  const killed = work(told(["say:Well.; hang"], { turn_id: "1" }));
  await expect.poll(() => sessions.read()?.is_taken, SLOW).toBe(true);
  await Promise.all([
    expect(killed).rejects.toThrow("SIGKILL"),
    work(told(["say:Well.; hang", "say:More."], { turn_id: "2" })),
  ]);
  const [first, second] = prompts();
  expect(second).toMatchObject({ session: first?.session, texts: ["say:More."] });
  expect(isAlive(pids()[0] ?? 0)).toBe(false);
  // Nothing was said since, and nothing of its answer came through.
  sessions.write({ ...(sessions.read() ?? expect.fail()), cookie: "" });
  await work(told(["say:Well.; hang", "say:More."], { turn_id: "3" }));
  expect(prompts()[2]).toMatchObject({ session: first?.session, texts: [expect.stringContaining("interrupted")] });
});

test("CRASH-1: where it is not known whether a session has what was said, another one is told all of it", async () => {
  const { work, prompts, sessions } = open();
  await work(told(["say:One."], { turn_id: "1" }));
  const killed = work(told(["say:One.", "hang"], { turn_id: "2", since: 1 }));
  await expect.poll(prompts, SLOW).toHaveLength(2);
  expect(sessions.read()?.is_taken).toBe(false);
  await Promise.all([
    expect(killed).rejects.toThrow("SIGKILL"),
    work(told(["say:One.", "hang", "say:Three."], { turn_id: "3", since: 1 })),
  ]);
  const [first, second, third] = prompts();
  expect(second?.session).toBe(first?.session);
  expect(third?.session).not.toBe(first?.session);
  expect(third?.texts).toEqual([
    ...["You are scout.", expect.stringContaining("They said: say:One."), "hang", "say:Three."],
  ]);
});
