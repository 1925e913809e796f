import { expect, test } from "vitest";
import { stateOf } from "./agent.ts";

const scout = {
  lifecycle: "ready",
  run_phase: "idle",
  presence: "active",
  last_seen_at: "2026-11-16T12:00:00.000Z",
};

test("an agent's state in the list is true: what it reported counts only while it is there", () => {
  expect(stateOf(scout)).toBe("ready");
  expect(stateOf({ ...scout, presence: "idle" })).toBe("idle");
  expect(stateOf({ ...scout, run_phase: "waiting_approval" })).toBe("waiting for approval");
  expect(stateOf({ ...scout, run_phase: "sampling", presence: "offline" })).toBe("away");
  expect(stateOf({ ...scout, presence: "offline", last_seen_at: null })).toBe("not seen");
  expect(stateOf({ ...scout, lifecycle: "stopped" })).toBe("stopped");
  expect(stateOf({ ...scout, lifecycle: "starting" })).toBe("starting");
  expect(stateOf({ ...scout, run_phase: "dreaming" })).toBe("unknown");
});
