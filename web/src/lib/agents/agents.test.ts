import { expect, test } from "vitest";
import { firstLine } from "./line.ts";
import { moodOf } from "./mood.ts";

test("an agent that is ready is as its phase says, any other as its lifecycle does", () => {
  expect(moodOf({ lifecycle: "ready", run_phase: "sampling" })).toEqual({ kind: "working", words: "Thinking" });
  expect(moodOf({ lifecycle: "ready", run_phase: "waiting_input" }).words).toBe("Waiting for you");
  expect(moodOf({ lifecycle: "stopped", run_phase: "sampling" }).kind).toBe("away");
  expect(moodOf({ lifecycle: "failed", run_phase: "idle" }).kind).toBe("failed");
});

test("a phase that a newer hub has and this page does not know is said to be unknown", () => {
  // What the type says cannot come, a newer hub sends.
  const newer = { lifecycle: "ready", run_phase: "dreaming" } as unknown as Parameters<typeof moodOf>[0];
  expect(moodOf(newer).words).toBe("Unknown");
});

test("the line in the list has the first words of a message and none of its markup", () => {
  expect(firstLine("## Done\n\nboth are fixed")).toBe("Done");
  expect(firstLine("**bold** and `code` and [a link](https://example.com)")).toBe("bold and code and a link");
  expect(firstLine("- one\n- two")).toBe("one");
  expect(firstLine("> quoted")).toBe("quoted");
  expect(firstLine("x".repeat(1000))).toHaveLength(120);
  expect(firstLine("")).toBe("");
});
