import { formatId } from "../../ids.ts";
import type { Module } from "../../module.ts";
import { resources } from "./resources.ts";
import * as service from "./service.ts";
import { tools } from "./tools.ts";

export { close, listNeeds, raise, subjectOf } from "./service.ts";

export const notices = {
  name: "notices",
  servers: [],
  tools,
  resources,
  topics: [
    {
      name: "notice",
      streams: service.streams,
      wire: ({ type, ref, data }) => ({
        notice_id: formatId(ref),
        kind: data.kind ?? null,
        state: type === "notice.raised" ? "open" : data.state,
        ...(type === "notice.pending" && { until: data.until }),
        ...(type === "notice.settled" && { choice: data.choice ?? null }),
      }),
    },
  ],
  needs: service.noticeNeeds,
  glance: service.needsGlance,
  explains: service.noticesExplain,
  waiting: service.noticeWaiting,
  due: { ...service.noticesDue, ...service.needsDue },
  with: { "due.died": service.tellDead },
  tables: ["notices", "notice_items", "need_laters"],
  long_tables: ["notices"],
} satisfies Module;
