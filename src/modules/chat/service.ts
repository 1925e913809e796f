/**
 * A message that was acknowledged is kept, in the order of its id, and never changes. Its
 * author is who the credential says, never an argument. Reading marks nothing, unless asked
 * to advance a mark, and then moves only the caller's. See docs/design/chat.md.
 */

export {
  defaultFromPeopleHint,
  defaultMessageHint,
  defaultStatusHint,
  fromPeopleHint,
  messageHint,
  TOPIC,
  wire,
} from "./service/events.ts";
export { chatExplains } from "./service/explaining.ts";
export { chatsGlance } from "./service/glance.ts";
export { readableInbox, seesAll } from "./service/inboxes.ts";
export { list } from "./service/listing.ts";
export { markRead, readMarks } from "./service/marks.ts";
export { post } from "./service/posting.ts";
export { chatRetention } from "./service/purging.ts";
export { inbox, readAndAdvance, readBefore, readSince } from "./service/reading.ts";
export { status } from "./service/status.ts";
