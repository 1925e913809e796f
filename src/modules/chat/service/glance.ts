import { defineGlance } from "../../../module.ts";
import { chatHint, TOPIC } from "./events.ts";
import { list } from "./listing.ts";
import { readMarks } from "./marks.ts";

/** The last line of each chat, up to where the caller has read each, and whether anything can be said just now. */
export const chatsGlance = defineGlance({
  part: "chats",
  read: async (ctx) => ({
    ready: ctx.database.health().state === "ready",
    ...(await list(ctx)),
    ...(await readMarks(ctx)),
  }),
  watch: async () => ({ places: [{ topic: TOPIC }], hint: chatHint }),
});
