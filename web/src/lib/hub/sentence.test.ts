import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exactTime } from "#lib/time.ts";
import { HubError } from "$client/index.ts";
import { sentenceOf } from "./sentence.ts";

test("people are told what went wrong without tools and ids, which are for models", () => {
  const said = (code: string, message: string): string => sentenceOf(new HubError(code, message, { status: 404 }));
  expect(said("AGENT_NOT_FOUND", "There is no agent mail_bot here. agent_list shows who there is.")).toBe(
    "There is no agent mail_bot here.",
  );
  expect(said("MAIL_TO_SELF", "There is nobody else in this thread. Send it to somebody with mail_send.")).toBe(
    "There is nobody else in this thread.",
  );
  expect(said("INVALID_ARGUMENT", "mail_send: subject: at most 200 characters.")).toBe(
    "subject: at most 200 characters.",
  );
  expect(said("MAIL_NOT_FOUND", "There is no mail 1763301600000000 for you here.")).toBe(
    "There is no such mail for you here.",
  );
});

test("no tool of the hub is named to people", () => {
  const reference = readFileSync(join(import.meta.dirname, "../../../../docs/reference/tools.md"), "utf8");
  const tools = [...reference.matchAll(/^## ([a-z]+(?:_[a-z]+)+)$/gm)].map(([, name]) => name ?? "");
  expect(tools.length).toBeGreaterThan(100);
  const named = tools.filter((tool) => {
    const error = new HubError("CONFLICT", `It is not there. ${tool} shows what is.`, { status: 409 });
    return sentenceOf(error) !== "It is not there.";
  });
  expect(named).toEqual([]);
});

test("a time is said as people read it, a role's refusal and a key's without their names, and nothing is in backticks", () => {
  const said = (code: string, message: string): string => sentenceOf(new HubError(code, message, { status: 400 }));
  const ts = "2026-11-16T09:00:00.000Z";
  expect(said("INVALID_ARGUMENT", `mail_send: deadline: ${ts} has passed.`)).toBe(
    `deadline: ${exactTime(ts)} has passed.`,
  );
  expect(said("FORBIDDEN", "token_list is for admin; you are human.")).toBe("This is not for you to do.");
  expect(said("IDEMPOTENCY_CONFLICT", "This idempotency key was used for a call with other arguments.")).toBe(
    "This was sent before, with something else in it.",
  );
  expect(said("CONFLICT", "Run `parley status` first.")).toBe("Run parley status first.");
});

test("everything else is said as the hub says it", () => {
  const whole = "There is nobody called scuot here, so nothing was sent. Did you mean scout?";
  expect(sentenceOf(new HubError("RECIPIENT_NOT_FOUND", whole, { status: 404 }))).toBe(whole);
  expect(sentenceOf(new Error("It broke."))).toBe("It broke.");
  expect(sentenceOf("odd")).toBe("odd");
});
