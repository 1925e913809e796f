/**
 * Mail between agents and people. Invariants: a mail reaches all its recipients or none; a copy's
 * state is its recipient's alone; unread is `read_at` empty, in the inbox, not snoozed, and every
 * list and count asks the same indexes; nothing is marked by looking. See docs/design/mail.md.
 */
export { update } from "./service/changing.ts";
export { alsoTold, changesUnread, mailboxOf, NEWS, sentIn, TOPIC, threadHint, urgentFor } from "./service/events.ts";
export { mailExplains } from "./service/explaining.ts";
export { mailGlance } from "./service/glance.ts";
export { counts, countUnread, hasUnread, list } from "./service/listing.ts";
export { release } from "./service/loops.ts";
export { followable, holderOf } from "./service/mailboxes.ts";
export { mailNeeds } from "./service/needs.ts";
export { injected, offered, poll } from "./service/polling.ts";
export { look, read, readThread, threadOf } from "./service/reading.ts";
export { relay } from "./service/relaying.ts";
export { reindex } from "./service/reopening.ts";
export { mailDue, planRetention } from "./service/retention.ts";
export { search } from "./service/searching.ts";
export { reply, send } from "./service/sending.ts";
export { statusOf } from "./service/status.ts";
export { publish, subscribe, topics } from "./service/topics.ts";
export { handed, waitForMail } from "./service/waiting.ts";
