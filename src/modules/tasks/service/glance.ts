import { defineGlance } from "../../../module.ts";
import type { Watch } from "../../../resource.ts";
import * as store from "../store.ts";
import { TOPIC } from "./wire.ts";

/** What makes one more or one less of the dead. */
const OF_DEAD = ["task.dead", "task.requeued"];

// One function for all who watch: a door works out once what everybody with the same one is told.
const ofDead: Watch["hint"] = ({ type }) => (OF_DEAD.includes(type) ? {} : null);

/** How many tasks were given up: somebody has to look at them, since nobody else will. */
export const tasksGlance = defineGlance({
  part: "tasks",
  read: async (ctx) => ({ dead: (await store.countOver(ctx.db, ctx.actor.space_id)).get("dead") ?? 0 }),
  watch: async () => ({ places: [{ topic: TOPIC }], hint: ofDead }),
});
