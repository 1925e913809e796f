/**
 * A notice is raised once, however often it is tried, and settled once, however many try: whoever is not the first is
 * told who was. Who raised it cannot settle it. An agent sees, follows and takes back its own alone. What expired is
 * answered by nobody. See docs/design/notices.md.
 */

export { list, openNotices } from "./service/listing.ts";
export { raise, raiseOwn } from "./service/raising.ts";
export { noticesDue, settle, withdraw } from "./service/settling.ts";
export { streams, waitFor } from "./service/waiting.ts";
