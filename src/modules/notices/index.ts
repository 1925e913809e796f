import type { Module } from "../../module.ts";
import { resources } from "./resources.ts";
import * as service from "./service.ts";
import { tools } from "./tools.ts";

export {
  answer,
  answerIn,
  close,
  expire,
  forget,
  listNeeds,
  pendingUntil,
  raise,
  SETTLED,
  subjectOf,
  supersede,
  TOPIC,
  takeBack,
  tellPending,
} from "./service.ts";

export const notices = {
  name: "notices",
  servers: [],
  tools,
  resources,
  topics: [{ name: service.TOPIC, given_by: ["notice_wait"], streams: service.streams, wire: service.wire }],
  needs: service.noticeNeeds,
  glance: service.needsGlance,
  explains: service.noticesExplain,
  waiting: service.noticeWaiting,
  due: { ...service.noticesDue, ...service.needsDue },
  with: { "due.died": service.tellDead, "space.unarchived": service.tellUnarchived },
  tables: ["notices", "notice_items", "need_laters"],
  long_tables: ["notices"],
} satisfies Module;
