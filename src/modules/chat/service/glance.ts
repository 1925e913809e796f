import { defineGlance } from "../../../module.ts";
import type { Watch } from "../../../resource.ts";
import { list } from "./listing.ts";
import { readMarks } from "./marks.ts";

// One function for all who watch: a door works out once what everybody with the same one is told.
const said: Watch["hint"] = ({ type, data }) => (type === "chat.posted" ? { agent: data.agent } : {});

/** The last line of each chat, up to where the caller has read each, and whether anything can be said just now. */
export const chatsGlance = defineGlance({
  part: "chats",
  read: async (ctx) => ({
    ready: ctx.database.health().state === "ready",
    ...(await list(ctx)),
    ...(await readMarks(ctx)),
  }),
  watch: async () => ({ places: [{ topic: "chat" }], hint: said }),
});
