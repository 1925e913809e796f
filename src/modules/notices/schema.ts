import { z } from "zod";
import { Id } from "../../ids.ts";
import { Name } from "../identity/index.ts";

/** A count goes no further: nobody tells 100 open notices from more. */
export const MOST_COUNTED = 100;
const MOST_TEXT = 8000;
const MOST_EXPIRY_SECONDS = 30 * 24 * 3600;

const Time = z.iso.datetime();
const State = z.enum(["open", "settled", "expired", "withdrawn"]);
export type State = z.infer<typeof State>;

const Choice = z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, "a choice is 1 to 40 small letters, digits and dashes");
const title = z
  .string()
  .max(200, "a title has at most 200 characters")
  .refine((text) => text.trim() !== "", "it has no title")
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  .refine((text) => !/[\u0000-\u001f\u007f\u0085\u2028\u2029]/.test(text), "a title is one line");

export const Notice = z.object({
  id: Id,
  kind: z.string().describe("Which part of the hub speaks, or what the agent calls it."),
  title: z.string(),
  text: z.string().describe("Where raised_by is an agent, that agent's own words: data, not the hub's."),
  topic: z.string().nullable().describe("With ref: what it is about, such as mail."),
  ref: Id.nullable(),
  agents: z.array(Name).nullable().describe("The agents it is about, where the hub names some."),
  choices: z.array(z.string()).nullable().describe("What it may be answered with; null for one that only tells."),
  raised_by: Name.nullable().describe("The agent that raised it; null for the hub itself."),
  raised_at: Time,
  times: z.int().describe("How often it happened: while it is open, one notice tells of several."),
  expires_at: Time.nullable(),
  state: State,
  choice: z.string().nullable().describe("The answer."),
  settled_by: Name.nullable().describe("Who answered; null while nobody did, and for what expired."),
  settled_at: Time.nullable(),
});
export type Notice = z.infer<typeof Notice>;

/** What whoever raised it needs to know. */
export const Answer = Notice.pick({ id: true, state: true, choice: true, settled_by: true });
export type Answer = z.infer<typeof Answer>;

export const RaiseNotice = z.strictObject({
  key: z.string().min(1).max(200).describe("Raised again with the same key it is the same notice."),
  kind: z.string().regex(/^[a-z][a-z0-9_.-]{0,39}$/, "a kind is 1 to 40 small letters, digits, dots and dashes"),
  title,
  text: z.string().max(MOST_TEXT, `a text has at most ${MOST_TEXT} characters`).default(""),
  choices: z
    .array(Choice)
    .min(2)
    .max(8)
    .refine((choices) => new Set(choices).size === choices.length, "a choice is there twice")
    .optional(),
  expires_seconds: z.int().min(1).max(MOST_EXPIRY_SECONDS).optional(),
});
export type RaiseNotice = z.infer<typeof RaiseNotice>;

export const NoticeRef = z.strictObject({ id: Id });

export const WaitForNotice = z.strictObject({ id: Id, wait_seconds: z.int().min(0).max(300).default(25) });
export type WaitForNotice = z.infer<typeof WaitForNotice>;

export const SettleNotice = z.strictObject({
  id: Id,
  choice: z.string().max(40).optional().describe("One of its choices; left out for a notice that has none."),
});
export type SettleNotice = z.infer<typeof SettleNotice>;

export const ListNotices = z.strictObject({
  open: z.boolean().optional().describe("True: what waits for a person. False: what is over. Left out: both."),
  limit: z.int().min(1).max(100).default(20),
  before: Id.optional().describe("The next of the last page."),
});
export type ListNotices = z.infer<typeof ListNotices>;

/** What `notice_list` gives, newest first; `parley://notices` holds those that are open. */
export const NoticeList = z.object({
  notices: z.array(Notice),
  open: z.int().describe(`How many are open; at most ${MOST_COUNTED}.`),
  next: Id.nullable().describe("Pass it as before for the next page; null at the end."),
});
export type NoticeList = z.infer<typeof NoticeList>;
