import { Server } from "./support/child.ts";
import { Load } from "./support/load.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";
import { chatPost } from "./support/wire.ts";

const CONNECTIONS = 64;
const REQUESTS = 2000;
const ROUNDS = 25;

const bounds = { delay: { on: "difference", at_most: 20 } } as const;

export const scenario: Scenario = {
  name: "stall",
  measures:
    "How late the event loop is (p99) while 64 connections post, against the bare node:http server under the same load",
  bounds,
  async run() {
    await using hub = await Server.start("hub");
    await using bare = await Server.start("bare");
    const token = await hub.ask<string>("token", { role: "human", name: "ana" });
    const ours = new Load(hub, Array(CONNECTIONS).fill(chatPost({ port: hub.port, token })));
    const reference = new Load(bare, Array(CONNECTIONS).fill(chatPost({ port: bare.port, token })));
    const delay = (load: Load): Promise<number> =>
      load.during(REQUESTS, async (fire) => {
        await load.server.ask("watch_delays");
        await fire();
        return load.server.ask<number>("delays");
      });
    const pairs = await interleaved(
      ROUNDS,
      () => delay(ours),
      () => delay(reference),
    );
    return [figure("p99 of the delay", pairs, { unit: "ms", bound: bounds.delay })];
  },
};
