import { defineGlance } from "../../../module.ts";
import * as store from "../store.ts";
import { OF_DEAD, TOPIC } from "./events.ts";

/** How many tasks were given up: somebody has to look at them, since nobody else will. */
export const tasksGlance = defineGlance({
  part: "tasks",
  read: async (ctx) => ({ dead: (await store.countOver(ctx.db, ctx.actor.space_id)).get("dead") ?? 0 }),
  watch: async () => ({ places: [{ topic: TOPIC, types: OF_DEAD }] }),
});
