import type { Tools } from "#lib/hub/types.ts";

export type Board = Tools["task_board"]["output"];
export type Card = Board["columns"][number]["tasks"][number];
export type Column = Board["columns"][number]["column"];
export type Details = NonNullable<Board["task"]>;
export type Hold = NonNullable<Card["hold"]>;
export type Attempt = Details["attempts"][number];

export const COLUMNS = ["waiting", "held", "working", "done", "dead"] as const satisfies readonly Column[];
