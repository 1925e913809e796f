import type { FolderName } from "./address.ts";
import type { Action, Copy, MailItem } from "./types.ts";

/** What a copy is after an action, as the hub will have it. Shown until the hub has said so. */
export function after(before: Copy, action: Action, { now, until }: { now: string; until?: string | undefined }): Copy {
  const { state, acked_at, snoozed_until } = before;
  const copy: Copy = { state, read_at: before.read_at, acked_at, snoozed_until };
  const read_at = copy.read_at ?? now;
  switch (action) {
    case "read":
      return { ...copy, read_at };
    case "unread":
      return { ...copy, read_at: null };
    case "ack":
      return { ...copy, read_at, acked_at: copy.acked_at ?? now };
    case "archive":
      return { ...copy, state: "archived", snoozed_until: null };
    case "trash":
      return { ...copy, state: "trash", snoozed_until: null };
    case "inbox":
      return { ...copy, state: "inbox", snoozed_until: null };
    case "snooze":
      return { ...copy, state: "inbox", snoozed_until: until ?? null };
  }
}

/** Whether a copy stands in a folder. */
export function isIn({ state, read_at, snoozed_until }: Copy, folder: FolderName): boolean {
  switch (folder) {
    case "inbox":
      return state === "inbox" && snoozed_until === null;
    case "unread":
      return state === "inbox" && snoozed_until === null && read_at === null;
    case "snoozed":
      return state === "inbox" && snoozed_until !== null;
    case "sent":
      return state === null;
    default:
      return state === folder;
  }
}

export interface Step {
  action: Action;
  until?: string;
  ids: string[];
}

/** What takes an action back, mail by mail as each was before. An acknowledgement stays: its sender was told. */
export function inverse(before: readonly (Copy & { id: string })[], action: Action): Step[] {
  if (action === "ack") return [];
  const steps = new Map<string, Step>();
  for (const copy of before) {
    const step = back(copy, action);
    if (!step) continue;
    const key = `${step.action} ${step.until ?? ""}`;
    const known = steps.get(key) ?? { ...step, ids: [] };
    known.ids.push(copy.id);
    steps.set(key, known);
  }
  return [...steps.values()];
}

function back({ state, read_at, snoozed_until }: Copy, action: Action): Omit<Step, "ids"> | undefined {
  if (action === "read") return read_at === null ? { action: "unread" } : undefined;
  if (action === "unread") return read_at === null ? undefined : { action: "read" };
  if (state === "archived") return { action: "archive" };
  if (state === "trash") return { action: "trash" };
  return snoozed_until === null ? { action: "inbox" } : { action: "snooze", until: snoozed_until };
}

/** Whether a mail that waits for somebody still does: to have looked at it is not to have dealt with it. */
export const isPressing = (item: MailItem): boolean => isIn(item, "inbox") && item.acked_at === null;
