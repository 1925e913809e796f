/**
 * A notice is raised once, however often it is tried, and settled once, however many try: whoever is not the first is
 * told who was. Who raised it cannot settle it. An agent sees, follows and takes back its own alone. What expired is
 * answered by nobody. What is counted as waiting for a person is what is listed. See docs/design/notices.md.
 */

export { tellDead, tellUnarchived } from "./service/dead.ts";
export { noticeWaiting } from "./service/deciding.ts";
export { answerIn, SETTLED, TOPIC, wire } from "./service/events.ts";
export { noticesExplain } from "./service/explaining.ts";
export { list, subjectOf } from "./service/listing.ts";
export { listNeeds, needsGlance, noticeNeeds, openNeeds, tellPending, watchNeeds } from "./service/needs.ts";
export { needsDue, putOff } from "./service/putting-off.ts";
export { raise, raiseOwn } from "./service/raising.ts";
export {
  answer,
  close,
  expire,
  forget,
  noticesDue,
  settle,
  supersede,
  takeBack,
  withdraw,
} from "./service/settling.ts";
export { streams, waitFor } from "./service/waiting.ts";
export { pendingUntil } from "./service/wire.ts";
