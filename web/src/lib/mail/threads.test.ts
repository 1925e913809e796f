import { expect, test } from "vitest";
import { threadsOf } from "./threads.ts";
import type { MailItem } from "./types.ts";

const READ = "2026-11-16T12:00:00.000Z";
const mail = (id: string, thread_id: string, read_at: string | null = READ): MailItem =>
  // What decides about the row; the rest of a mail does not.
  ({ id, thread_id, read_at, state: "inbox" }) as MailItem;

test("a thread is one row, where its newest mail is, and unread as long as one of its mails is", () => {
  const items = [mail("5", "a"), mail("4", "b"), mail("3", "a", null), mail("2", "c", null), mail("1", "b")];
  expect(threadsOf(items).map(({ id, read_at }) => [id, read_at])).toEqual([
    ["5", null],
    ["4", READ],
    ["2", null],
  ]);
});

test("a row of one mail is that mail itself", () => {
  const alone = mail("1", "a");
  expect(threadsOf([alone])[0]).toBe(alone);
});
