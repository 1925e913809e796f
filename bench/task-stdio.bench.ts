import { mkdirSync, rmSync, watch } from "node:fs";
import { join } from "node:path";
import { Child, Server } from "./support/child.ts";
import { figure, interleaved, type Pair } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";
import { ParleyMcp, StdioClient } from "./support/stdio.ts";
import { CONTENT } from "./support/wire.ts";

const SIZES = { full: { cycles: 200, rounds: 11 }, moment: { cycles: 3, rounds: 0 } };

const bounds = { rate: { on: "ratio", at_least: 0.5 } } as const;

export const scenario: Scenario = {
  name: "task-stdio",
  measures:
    "A trigger's task created, claimed and completed through two `parley mcp`, one call after another, against three lines to a bare program that commits each durably before it answers",
  bounds,
  async run(effort) {
    const { cycles, rounds } = SIZES[effort];
    await using hub = await Server.start("hub");
    // As the configurations of both name them.
    const open = (role: Record<string, string>): Promise<ParleyMcp> =>
      ParleyMcp.open(["--facet", "tasks,triggers"], { HOME: hub.folder, PARLEY_HOME: hub.folder, ...role });
    await using trigger = await open({ PARLEY_TRIGGER: "nightly" });
    await using worker = await open({ PARLEY_WORKER: "mason" });
    using _taken = takeWakes(join(hub.folder, "wake"));
    await using bare = await StdioClient.open("bare-stdio");
    await using keeping = new Child("bare-keeping");
    // It says so when it is ready.
    const { socket } = (await keeping.ready) as { socket: string };
    await using behind = await StdioClient.open("bare-forwarder", { BARE_SOCKET: socket });
    const cycle = async (): Promise<void> => {
      await trigger.call("task_create", { content: CONTENT });
      // What `get_next_task` answers.
      const { next_task } = (await worker.call("get_next_task", {})) as { next_task: { id: string } };
      await worker.call("task_complete", { task_id: next_task.id, response_summary: "All fine." });
    };
    const linesTo = (client: StdioClient) => async (): Promise<void> => {
      for (let line = 0; line < 3; line += 1) await client.call("said", { content: CONTENT });
    };
    const rate = async (one: () => Promise<void>): Promise<number> => {
      const started = performance.now();
      for (let n = 0; n < cycles; n += 1) await one();
      return cycles / ((performance.now() - started) / 1000);
    };
    const against = (one: () => Promise<void>): Promise<Pair[]> =>
      interleaved(
        rounds,
        () => rate(one),
        () => rate(linesTo(bare)),
      );
    return [
      figure("cycles", await against(cycle), { unit: "a second", bound: bounds.rate }),
      figure("a bare forwarder", await against(linesTo(behind)), { unit: "a second", bound: null }),
    ];
  },
};

/** Takes each wake file as whoever resumes the trigger's session does: or the hub would go on looking after all of them. */
function takeWakes(folder: string): Disposable {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const watcher = watch(folder, (_, name) => {
    if (name?.startsWith(".wake-")) rmSync(join(folder, name), { force: true });
  });
  return { [Symbol.dispose]: () => watcher.close() };
}
