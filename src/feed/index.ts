export { append, appendTogether } from "./append.ts";
export type { FeedEvent } from "./event.ts";
export { Feed, type Listener } from "./feed.ts";
export { checkPosition } from "./page.ts";
export { feedDue, PURGE_SLICE, planEventPurge, purgeAt, purgeBefore } from "./retention.ts";
export { findHead, findWatermark, insertPurge, listEventsSince, saveWatermark } from "./store.ts";
