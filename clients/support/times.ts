/** How long mail takes from the hub's database into a request to a model: noted by a check, printed by the report. */
import type { TestContext } from "vitest";
import type { Desk } from "./desk.ts";
import type { ModelServer } from "./model-server.ts";

export interface Way {
  client: "Claude Code" | "Codex";
  way: string;
  ms: readonly number[];
}

declare module "vitest" {
  interface TaskMeta {
    ways?: Way[];
  }
}

export function note({ task }: Pick<TestContext, "task">, way: Way): void {
  task.meta.ways = [...(task.meta.ways ?? []), way];
}

interface Expected {
  /** The recipient. */
  to: string;
  body: string;
  /** What has to stand before the text in the request: the way it is to come. */
  by?: string;
}

/** Sends mail; gives how long it took from the hub's database into a request. */
export async function measure(desk: Desk, model: ModelServer, { to, body, by = "" }: Expected): Promise<number> {
  const { stored_at } = await desk.mailTo(to, body);
  const { at } = await model.received([by, body]);
  return at - stored_at;
}
