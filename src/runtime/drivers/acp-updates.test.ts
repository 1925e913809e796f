import { expect, test } from "vitest";
import { isHubTool, toolOf } from "./acp-updates.ts";

const call = (told: { name?: string; title?: string; kind?: string }) => ({
  ...{ name: undefined, title: undefined, kind: undefined, rawInput: undefined },
  ...told,
});

test("a tool of the hub is known by its whole name, or by a title where nothing else can be meant by it", () => {
  for (const told of [
    { name: "mcp__parley__mail_send" },
    { name: "mcp__parley__mail_send", title: "Send mail", kind: "execute" },
    { title: "mcp__parley__mail_send", kind: "other" },
    { title: "Tool: parley/mail_send" },
  ])
    expect([isHubTool(call(told)), toolOf(call(told))]).toEqual([true, "mail_send"]);
});

test("a command or a file that is named as a tool of the hub is none", () => {
  for (const kind of ["execute", "edit", "read", "delete", "fetch"]) {
    const told = call({ title: "parley/chat_assistant_post", kind });
    expect([isHubTool(told), toolOf(told)]).toEqual([false, kind]);
  }
  for (const title of ["mcp__parley__mail_send now", "rm parley/mail_send", "parley/../mail_send"])
    expect(isHubTool(call({ title }))).toBe(false);
  expect(isHubTool(call({ name: "bash", title: "mcp__parley__mail_send" }))).toBe(false);
});
