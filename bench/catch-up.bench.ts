import { Child } from "./support/child.ts";
import { Connection, openSocket } from "./support/connection.ts";
import { figure, interleaved, quantile } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";
import { get, type Target } from "./support/wire.ts";

const SIZES = {
  full: { events: 1_000_000, rounds: 7, least_ms: 500 },
  moment: { events: 5000, rounds: 0, least_ms: 20 },
};

const bounds = { delay: { on: "difference", at_most: 20 } } as const;

export const scenario: Scenario = {
  name: "catch-up",
  measures: "p99 of /livez while a reader of /events catches up over 1,000,000 events of others, against an idle hub",
  bounds,
  async run(effort) {
    const { events, rounds, least_ms } = SIZES[effort];
    await using child = new Child("catch-up", { env: { BENCH_EVENTS: String(events) } });
    // What that program says when it is ready.
    const { port, token, after } = (await child.ready) as { port: number; token: string; after: string };
    const target = { port, token };
    using connection = await Connection.open(port);
    const idle = (): Promise<number> => p99(connection, target, pause(least_ms));
    const behind = (): Promise<number> => p99(connection, target, catchUp(target, after));
    const pairs = await interleaved(rounds, behind, idle);
    return [figure("p99 of /livez", pairs, { unit: "ms", bound: bounds.delay })];
  },
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves when the last event has come. */
async function catchUp(target: Target, after: string): Promise<void> {
  const socket = await openSocket(target.port);
  await new Promise<void>((resolve, reject) => {
    let text = "";
    socket.setEncoding("latin1");
    socket.on("data", (more: string) => {
      text += more;
      if (text.includes("event: chat")) resolve();
    });
    socket.on("close", () => reject(new Error(`the stream ended: ${text.slice(0, 500)}`)));
    socket.write(get(`/events?topics=chat&after=${after}`, target));
  });
  socket.destroy();
}

/** Of all that are asked, one after the other, until `over` has happened. */
async function p99(connection: Connection, target: Target, over: Promise<void>): Promise<number> {
  const times: number[] = [];
  let going = true;
  const ended = over.finally(() => {
    going = false;
  });
  do {
    const started = performance.now();
    await connection.ask(get("/livez", target));
    times.push(performance.now() - started);
  } while (going);
  await ended;
  return quantile(times, 0.99);
}
