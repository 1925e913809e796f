import { Server } from "./support/child.ts";
import { Connection } from "./support/connection.ts";
import { Listeners } from "./support/listeners.ts";
import { figure, interleaved, quantile } from "./support/rounds.ts";
import type { Figure, Scenario } from "./support/scenario.ts";
import { chatPost, get, modernRpc, type Target } from "./support/wire.ts";

/** A round of delivery is one post: another process that takes the CPU for a moment then spoils one and not the figure. */
const SIZES = {
  full: { listeners: 1000, rounds: 40, heap_rounds: 3 },
  moment: { listeners: 40, rounds: 0, heap_rounds: 0 },
};
/** One principal may not hold so many streams alone. */
const READERS = ["ana", "ben", "cleo", "dora"];

const bounds = {
  delivery: { on: "ratio", at_most: 2 },
  heap: { on: "ours", at_most: 20 },
  heap_of_sdk: { on: "ratio", at_most: 1.2 },
} as const;

/** How a client asks to be told. */
type Ask = (target: Target) => Buffer;
const events: Ask = (target) => get("/events?topics=chat", target);
const listen: Ask = (target) => {
  const params = { notifications: { resourceSubscriptions: ["ui://chat/inbox"] } };
  return modernRpc(target, { id: "listen:0", method: "subscriptions/listen", params });
};
const DOORS = { "SSE /events": events, "MCP listen": listen };

export const scenario: Scenario = {
  name: "listeners",
  measures:
    "One post to 1,000 listeners: when 95 % were told, against a bare fan-out of the same frames; heap a listener, against the SDK's listen stream",
  bounds,
  async run(effort) {
    const { listeners, rounds, heap_rounds } = SIZES[effort];
    await using hub = await Server.start("hub");
    await using bare = await Server.start("bare");
    await using sdk = await Server.start("sdk");
    const tokens: string[] = [];
    for (const name of READERS) tokens.push(await hub.ask<string>("token", { role: "human", name }));
    const figures: Figure[] = [];
    for (const [door, ask] of Object.entries(DOORS)) {
      const crowd = (server: Server, ask: Ask): Crowd => ({
        server,
        requests: Array.from({ length: listeners }, (_, at) => ask(target(server, tokens[at % tokens.length]))),
        post: chatPost(target(server, tokens[0])),
      });
      figures.push(
        await compareDelivery(door, rounds, [crowd(hub, ask), crowd(bare, ask)]),
        ...(await compareHeap(door, heap_rounds, [crowd(hub, ask), crowd(sdk, listen)])),
      );
    }
    return figures;
  },
};

/** A server, what those who listen to it ask, and a post of which they are all told. */
interface Crowd {
  server: Server;
  requests: Buffer[];
  post: Buffer;
}

const target = ({ port }: Server, token = ""): Target => ({ port, token });

async function compareDelivery(door: string, rounds: number, [hub, bare]: [Crowd, Crowd]): Promise<Figure> {
  using ours = await Listeners.open(hub.server.port, hub.requests);
  using reference = await Listeners.open(bare.server.port, bare.requests);
  const { frame } = await ours.told(() => say(hub));
  await bare.server.ask("frame", { text: frame });
  const pairs = await interleaved(
    rounds,
    () => delivery(ours, hub),
    () => delivery(reference, bare),
  );
  return figure(`${door}: p95 of the delivery`, pairs, { unit: "ms", bound: bounds.delivery });
}

async function compareHeap(door: string, rounds: number, [hub, sdk]: [Crowd, Crowd]): Promise<Figure[]> {
  const pairs = await interleaved(
    rounds,
    () => heap(hub),
    () => heap(sdk),
  );
  return [
    figure(`${door}: heap a listener`, pairs, { unit: "KiB", bound: bounds.heap }),
    figure(`${door}: heap a listener, as a ratio`, pairs, { unit: "KiB", bound: bounds.heap_of_sdk }),
  ];
}

async function say({ server, post }: Crowd): Promise<void> {
  using connection = await Connection.open(server.port);
  const { status, text } = await connection.ask(post);
  if (status !== 200) throw new Error(`the post was refused: ${text}`);
}

/** Milliseconds from sending a post until 95 % of the listeners had it. */
async function delivery(listeners: Listeners, crowd: Crowd): Promise<number> {
  const { times } = await listeners.told(() => say(crowd));
  return quantile(times, 0.95);
}

/** KiB that each listener makes the server's heap larger. */
async function heap({ server, requests }: Crowd): Promise<number> {
  const before = await server.ask<number>("heap");
  using _listeners = await Listeners.open(server.port, requests);
  return ((await server.ask<number>("heap")) - before) / 1024 / requests.length;
}
