import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Server } from "./support/child.ts";
import { Connection } from "./support/connection.ts";
import { Listeners } from "./support/listeners.ts";
import { figure, type Pair } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";
import { chatPost, get } from "./support/wire.ts";

/**
 * Idle for longer than anything the hub does now and then. Before that, the first read after a write moves SQLite's mark
 * in the shared memory file, once; the hub reads every five seconds, and notes its audit in the database.
 */
const SIZES = { full: { settle_ms: 9000, idle_ms: 16_000 }, moment: { settle_ms: 100, idle_ms: 100 } };

const bounds = { bytes: { on: "ours", at_most: 0 }, files: { on: "ours", at_most: 0 } } as const;

export const scenario: Scenario = {
  name: "idle",
  measures: "What a hub that was used, and has a listener, writes to the disk while nothing happens",
  bounds,
  async run(effort) {
    const { settle_ms, idle_ms } = SIZES[effort];
    await using hub = await Server.start("hub");
    await using bare = await Server.start("bare");
    const token = await hub.ask<string>("token", { role: "human", name: "ana" });
    const target = { port: hub.port, token };
    using _listeners = await Listeners.open(hub.port, [get("/events?topics=chat", target)]);
    using connection = await Connection.open(hub.port);
    for (let post = 0; post < 100; post += 1) await connection.ask(chatPost(target));
    await pause(settle_ms);

    const before = { ours: written(hub), reference: written(bare), files: filesOf(hub.folder) };
    await pause(idle_ms);
    const bytes: Pair = { ours: written(hub) - before.ours, reference: written(bare) - before.reference };
    const after = filesOf(hub.folder);
    const changed = [...after].filter(([file, state]) => before.files.get(file) !== state).length;
    return [
      figure("bytes written", [bytes], { unit: "bytes", bound: bounds.bytes }),
      figure("files changed", [{ ours: changed, reference: 0 }], { unit: "files", bound: bounds.files }),
    ];
  },
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Bytes the process made the kernel write to a disk. Only Linux tells; elsewhere the files have to do. */
function written({ pid }: Server): number {
  const file = `/proc/${pid}/io`;
  if (!existsSync(file)) return 0;
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(file, "utf8"))?.[1]);
}

function filesOf(folder: string): Map<string, string> {
  return new Map(
    readdirSync(folder).map((name) => {
      const { size, mtimeMs } = statSync(join(folder, name));
      return [name, `${size} ${mtimeMs}`];
    }),
  );
}
