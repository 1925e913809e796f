import { expect, test } from "vitest";
import { isClaudeAttended, isCodexAttended } from "./attended.ts";

test("Claude Code says itself whether a person sits before it, and what it says counts alone", () => {
  expect(isClaudeAttended({ CLAUDE_CODE_SESSION_ATTENDED: "1", CLAUDE_CODE_ENTRYPOINT: "sdk-cli" })).toBe(true);
  for (const said of ["0", "", "true"])
    expect(isClaudeAttended({ CLAUDE_CODE_SESSION_ATTENDED: said, CLAUDE_CODE_ENTRYPOINT: "cli" })).toBe(false);
});

test("of an older Claude Code only one in a terminal has a person before it", () => {
  expect(isClaudeAttended({ CLAUDE_CODE_ENTRYPOINT: "cli" })).toBe(true);
  for (const entry of ["sdk-cli", "sdk-ts", "claude-vscode", undefined])
    expect(isClaudeAttended({ CLAUDE_CODE_ENTRYPOINT: entry })).toBe(false);
});

test("Codex has a person before it unless it was started to run by itself, or nobody knows how", () => {
  for (const words of [["codex"], ["codex", "resume", "--last"], ["/x/codex", "app-server", "--listen", "unix://"]])
    expect(isCodexAttended(words)).toBe(true);
  for (const words of [
    [],
    ["codex", "exec", "do it"],
    ["codex", "-c", "a=b", "exec", "resume", "x"],
    ["codex", "review"],
  ])
    expect(isCodexAttended(words)).toBe(false);
});
