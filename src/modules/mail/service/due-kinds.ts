/** What happens to mail by itself, by the names it has in `due`. */
export const SNOOZE = "mail.snooze";
export const DEADLINE = "mail.deadline";
export const TRASH = "mail.trash";
export const PURGE = "mail.purge";
export const TRAILS = "mail.pairs";

/** How long a copy lies in the trash, at least. */
export const TRASH_MS = 30 * 24 * 3600 * 1000;
