import { expect, test } from "vitest";
import type { Agent } from "#lib/hub/types.ts";
import { groupsOf } from "./groups.ts";

const agent = (name: string, told: Partial<Agent>): Agent =>
  // What decides about the group; the rest of an agent does not.
  ({ name, lifecycle: "ready", presence: "active", last_seen_at: "2026-11-16T12:00:00.000Z", ...told }) as Agent;

test("who waits for a person stands first, then who works, is idle, and is not there", () => {
  const all = [
    agent("away", { presence: "offline", run_phase: "idle" }),
    agent("idle", { run_phase: "idle" }),
    agent("asks", { run_phase: "waiting_approval" }),
    agent("works", { run_phase: "tools_running" }),
    agent("broken", { lifecycle: "failed", run_phase: "idle" }),
  ];
  const shown = (live: boolean) =>
    groupsOf(all, live).map(({ words, agents }) => [words, agents.map((it) => it.agent.name)]);
  expect(shown(true)).toEqual([
    ["Waiting for you", ["asks"]],
    ["Working", ["works"]],
    ["Idle", ["idle"]],
    ["Offline", ["away", "broken"]],
  ]);
  expect(shown(false)).toEqual([["Offline", all.map(({ name }) => name)]]);
});
