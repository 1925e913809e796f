import { expect, test } from "vitest";
import type { Priority } from "./schema.ts";
import { pauseReason } from "./service/policy.ts";

const RULES = { pause_threshold: 3, pause_phases: [], pause_phrase: "need human input to continue" };
const asked = (count: number, priority: Priority = "low", blocking = false) =>
  Array.from({ length: count }, () => ({ priority, blocking }));
const QUIET = { open: asked(0), phase: undefined, before: null, output: undefined };

test("QUESTION-2: what blocks with high priority pauses at once, and nothing less does", () => {
  expect(pauseReason({ ...QUIET, open: asked(1, "high", true) }, RULES)).toBe("immediate");
  for (const open of [asked(1, "high"), asked(1, "medium", true), asked(3, "low", true)])
    expect(pauseReason({ ...QUIET, open }, RULES)).toBeUndefined();
});

test("QUESTION-2: open questions pause before another phase, and only then", () => {
  const open = asked(1);
  expect(pauseReason({ ...QUIET, open, phase: "finance", before: "market" }, RULES)).toBe("phase_boundary");
  for (const moving of [
    { phase: "market", before: null },
    { phase: "market", before: "market" },
    { phase: undefined, before: "market" },
  ])
    expect(pauseReason({ ...QUIET, open, ...moving }, RULES)).toBeUndefined();
  expect(pauseReason({ ...QUIET, phase: "finance", before: "market" }, RULES)).toBeUndefined();
  const named = { ...RULES, pause_phases: ["finance"] };
  expect(pauseReason({ ...QUIET, open, phase: "competitor", before: "market" }, named)).toBeUndefined();
  expect(pauseReason({ ...QUIET, open, phase: "finance", before: "market" }, named)).toBe("phase_boundary");
});

test("QUESTION-2: a text that asks for people pauses, whatever else it says", () => {
  const output = "Done so far. I NEED human input to continue, please.";
  expect(pauseReason({ ...QUIET, output }, RULES)).toBe("explicit_request");
  expect(pauseReason({ ...QUIET, output: "I need human input." }, RULES)).toBeUndefined();
  expect(pauseReason({ ...QUIET, output: "ask me" }, { ...RULES, pause_phrase: "Ask me" })).toBe("explicit_request");
});

test("QUESTION-2: more than three open questions pause: three do not, four do", () => {
  expect(pauseReason({ ...QUIET, open: asked(3) }, RULES)).toBeUndefined();
  expect(pauseReason({ ...QUIET, open: asked(4) }, RULES)).toBe("threshold");
  expect(pauseReason({ ...QUIET, open: asked(1) }, { ...RULES, pause_threshold: 0 })).toBe("threshold");
});
