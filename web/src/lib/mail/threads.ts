import type { MailItem } from "./types.ts";

/** One row a thread: the first that is listed of it stands for all, unread as long as one of them is. */
export function threadsOf(items: readonly MailItem[]): MailItem[] {
  const rows = new Map<string, MailItem>();
  for (const item of items) {
    const row = rows.get(item.thread_id);
    if (!row) rows.set(item.thread_id, item);
    else if (row.read_at !== null && item.read_at === null) rows.set(item.thread_id, { ...row, read_at: null });
  }
  return [...rows.values()];
}
