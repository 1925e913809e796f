import { insertPurge } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import { retention } from "../../../retention.ts";
import * as store from "../store.ts";
import { TOPIC } from "./events.ts";

export const chatRetention = retention({
  kind: "chat.purge",
  days: ({ chat_days }) => chat_days,
  oldest: ({ tx }) => store.findOldest(tx, tx.space_id),
  remove: async ({ tx }, { before_id, limit }) => {
    for (const { inbox_id, last_id } of await store.listOldestByInbox(tx, { before_id, limit })) {
      await store.deleteMessagesUpTo(tx, { inbox_id, last_id });
      await insertPurge(tx, { topic: TOPIC, stream: formatId(inbox_id), purged_id: last_id });
    }
    return false;
  },
});
