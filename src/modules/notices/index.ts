import { formatId } from "../../ids.ts";
import type { Module } from "../../module.ts";
import { resources } from "./resources.ts";
import * as service from "./service.ts";
import { tools } from "./tools.ts";

export { raise } from "./service.ts";

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
        kind: data.kind,
        state: type === "notice.raised" ? "open" : data.state,
        ...(type === "notice.settled" && { choice: data.choice ?? null }),
      }),
    },
  ],
  due: service.noticesDue,
  tables: ["notices"],
  long_tables: ["notices"],
} satisfies Module;
