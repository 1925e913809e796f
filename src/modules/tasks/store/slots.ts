import type { Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { TaskRow } from "../tables.ts";

type In = { space_id: string };

/** Under a concurrency key: it runs, or can be claimed. */
export type SlotRow = Pick<TaskRow, "id" | "status" | "lane" | "order_key" | "concurrency_limit">;

// Not a count: what names the rows is known to be true still when a task with another key was added.
const slots = statement<In & { concurrency_key: string }, SlotRow>(
  `select id, status, lane, order_key, concurrency_limit from tasks
   where space_id = :space_id and concurrency_key = :concurrency_key and slot = 1`,
);
export const listSlots = (tx: Tx, concurrency_key: string): Promise<SlotRow[]> =>
  tx.all(slots, { space_id: tx.space_id, concurrency_key });

const hold = statement<In & { id: number }>(
  "update tasks set held_for = 'concurrency', slot = null where space_id = :space_id and id = :id",
);
/** It has to wait for its turn again. */
export const holdBehind = (tx: Tx, id: number): Promise<void> => tx.run(hold, { id, space_id: tx.space_id });

type Placed = Pick<TaskRow, "id" | "order_key">;

/** In the order in which tasks are given out. */
export const isBefore = (one: Placed, other: Placed): boolean =>
  one.order_key < other.order_key || (one.order_key === other.order_key && one.id < other.id);
