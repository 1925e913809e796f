import { Server } from "./support/child.ts";
import { Load } from "./support/load.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";
import { chatPost } from "./support/wire.ts";

const CONNECTIONS = 64;
const REQUESTS = 2000;
const ROUNDS = 21;

const bounds = { cpu: { on: "ratio", at_most: 3 } } as const;

export const scenario: Scenario = {
  name: "http",
  measures:
    "POST /api/tools/chat_human_post on 64 keep-alive connections: the server's CPU a request, against a bare node:http server that parses and answers the same JSON",
  bounds,
  async run() {
    await using hub = await Server.start("hub");
    await using bare = await Server.start("bare");
    const token = await hub.ask<string>("token", { role: "human", name: "ana" });
    const ours = new Load(hub, Array(CONNECTIONS).fill(chatPost({ port: hub.port, token })));
    const reference = new Load(bare, Array(CONNECTIONS).fill(chatPost({ port: bare.port, token })));
    const pairs = await interleaved(
      ROUNDS,
      () => ours.cpu(REQUESTS),
      () => reference.cpu(REQUESTS),
    );
    return [figure("CPU a request", pairs, { unit: "µs", bound: bounds.cpu })];
  },
};
