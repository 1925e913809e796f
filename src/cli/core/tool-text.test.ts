import { expect, test } from "vitest";
import type { CommandLooks } from "../../tool.ts";
import type { Cli } from "./cli.ts";
import { MADE } from "./made-commands.ts";
import { text } from "./tool-text.ts";

const NOW = "2026-11-16T12:00:00.000Z";
// What a text needs of it.
const cli = {
  out: { width: undefined, time: (iso: string) => iso, bold: (word: string) => word, dim: (word: string) => word },
  line: (command: string) => `parley ${command}`,
  again: (flag: string, value: string) => `parley again ${flag} ${value}`,
} as unknown as Cli;

const looksOf = (name: string): CommandLooks => MADE.find((made) => made.name === name) ?? {};

const scout = { name: "scout", lifecycle: "ready", run_phase: "idle", presence: "active", last_seen_at: NOW };

test.each([
  [{}, "ready"],
  [{ presence: "idle" }, "idle"],
  [{ run_phase: "waiting_approval" }, "waiting for approval"],
  [{ run_phase: "sampling", presence: "offline" }, "away"],
  [{ presence: "offline", last_seen_at: null }, "not seen"],
  [{ lifecycle: "stopped" }, "stopped"],
  [{ lifecycle: "starting" }, "starting"],
  [{ run_phase: "dreaming" }, "unknown"],
])("an agent's state in the list is true: what it reported counts only while it is there (%o)", (now, state) => {
  const [, line = ""] = text(cli, looksOf("agent list"), { agents: [{ ...scout, ...now }] }).split("\n");
  expect(line.split(/ {2,}/)[1]).toBe(state);
});

const need = { id: "1", kind: "permission", title: "May it?", asked_at: NOW, from: null, tool: "notice_settle" };

test("a block says who asks, all that was asked, and what to type, and nothing of what there is not", () => {
  const shown = (more: object) => text(cli, looksOf("needs"), { needs: [{ ...need, text: "", ...more }], next: null });
  expect(shown({ choices: null })).toBe(
    `1  permission  from the hub  ${NOW}\n  May it?\nTo deal with it: parley notice settle 1`,
  );
  expect(shown({ from: "scout", text: "rm -rf /\n\u202ex", choices: ["allow", "deny"], space: "sess_a" })).toBe(
    `1  permission  from scout  in sess_a  ${NOW}\n  May it?\n  rm -rf /\n  \\u202ex\nChoices: allow, deny\nTo deal with it: parley notice settle 1 --choice CHOICE --space sess_a`,
  );
  expect(shown({ tool: "mail_reply", choices: null })).toContain("To deal with it: parley reply 1 --body TEXT");
  expect(shown({ kind: "runs.failing", choices: null, ref: "7" })).toContain(
    "\n  May it?\nTo see it: parley runs show 7\nTo deal with it: parley notice settle 1",
  );
});

test("what somebody wrote into a field is no command, no case and no part of a sentence", () => {
  const forged = text(cli, looksOf("needs"), {
    needs: [{ ...need, title: "`stop` [x] {id}", text: "", choices: null }],
  });
  expect(forged).toContain("\n  `stop` [x] {id}\n");
});

test("pages of blocks end with what to type for the next one", () => {
  expect(text(cli, looksOf("notices"), { notices: [{ ...need, state: "open" }], next: "0" })).toMatch(
    /\n\nThere is more: parley again --before 0$/,
  );
});

test("of an agent's timeline each item is a line that says when it was, who spoke, and what was done", () => {
  const items = [
    { kind: "UserMessage", author_principal: "ana", content: "Go on.\nAll of it." },
    { kind: "Tool", tool: "runtime_exec", arguments: '{"cmd":["date"]}', outcome: "done" },
    { kind: "AssistantMarkdown", author_principal: "scout", content: "Done." },
    { kind: "EndTurn", outcome: "failed", error: "The model does not answer." },
    { kind: "Notice", content: "Paused by ana." },
    { kind: "Tool", tool: "mail_send", arguments: "{}", outcome: null, approval: { state: "pending" } },
    { kind: "Tool", tool: "mail_send", arguments: "{}", outcome: null, approval: null },
    { kind: "Question", question: "Now?", state: "open", answer: null },
  ].map((item, at) => ({ id: String(at), ts: NOW, ...item }));
  const lines = text(cli, looksOf("timeline"), { items }).split("\n");
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ["id", "time", "what", "outcome"],
    ["0", NOW, "ana: Go on.…"],
    ["1", NOW, 'runtime_exec {"cmd":["date"]}', "done"],
    ["2", NOW, "scout: Done."],
    ["3", NOW, "End of the turn: The model does not answer.", "failed"],
    ["4", NOW, "Paused by ana."],
    ["5", NOW, "mail_send {}", "waits for a person"],
    ["6", NOW, "mail_send {}", "running"],
    ["7", NOW, "Question: Now?", "waits for an answer"],
  ]);
});

test("how an agent is says that its tools are off, and from whom it was begun", () => {
  const fork = { agent: "scout-2", generation: 0, tools_off_at: NOW, forked_from: "scout" };
  expect(text(cli, looksOf("agent status"), fork)).toMatch(new RegExp(`tools off +${NOW}\\nforked from +scout`));
});
