import type { Action, Letter } from "./types.ts";

export type ThreadAction = Exclude<Action, "read">;

/** Which of one's own copies in a thread an action is for; none where it would change nothing. */
export function forThread(letters: readonly Letter[], action: ThreadAction): Letter[] {
  const received = letters.filter(({ state }) => state !== null);
  switch (action) {
    case "archive":
    case "snooze":
      return received.filter(({ state }) => state === "inbox");
    case "trash":
      return received.filter(({ state }) => state !== "trash");
    case "inbox":
      return received.filter(({ state, snoozed_until }) => state !== "inbox" || snoozed_until !== null);
    case "ack":
      return received.filter(({ acked_at }) => acked_at === null);
    case "unread":
      // One stands for the thread: the newest.
      return received.filter(({ read_at }) => read_at !== null).slice(-1);
  }
}
