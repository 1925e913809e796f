/** Programs that a hub of a test starts. */
import { renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemActor, transact } from "../context.ts";
import { type NewRun, plan, type RunDetails } from "../modules/runs/index.ts";
import { UNRULY } from "./agents/unruly.ts";
import type { TestHub } from "./hub.ts";
import { until } from "./process.ts";

/** Says what the hub of that folder starts. By renaming: a hub that reads at this moment finds the one or the other. */
export function define({ home }: { home: string }, file: object): void {
  const path = join(home, "runner.json");
  writeFileSync(`${path}.new`, JSON.stringify(file), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** The agent that does what it is told, step by step. */
export const unruly = (...steps: string[]) => ({ argv: [process.execPath, UNRULY, ...steps], cwd: tmpdir() });

/** Has a program started as a trigger's firing would; the run's id. */
export async function planRun({ hub }: TestHub, run: Partial<NewRun> = {}, space_id = "main"): Promise<string> {
  const whole: NewRun = { kind: "trigger", name: "nightly", session_mode: "ephemeral", prompt: "Do it", ...run };
  return String(await transact(hub.ctx(systemActor(space_id)), (ctx) => plan(ctx, whole)));
}

export async function showRun(hub: TestHub, id: string): Promise<RunDetails> {
  const { status, body } = await hub.call(hub.admin, "run_show", { id });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

/** The run once it is in one of these states. */
export const runIn = (hub: TestHub, id: string, ...states: RunDetails["state"][]): Promise<RunDetails> =>
  until(async () => {
    const run = await showRun(hub, id);
    return states.includes(run.state) ? run : undefined;
  });

const OVER = ["done", "failed", "stopped", "skipped"] as const;
export const runOver = (hub: TestHub, id: string): Promise<RunDetails> => runIn(hub, id, ...OVER);
