import { fileURLToPath } from "node:url";
import { Server } from "./support/child.ts";
import { Connection } from "./support/connection.ts";
import { connected, connections, finished, PARLEY, type Program, start } from "./support/program.ts";
import { figure, interleaved, quantile } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";
import { CONTENT, callOf } from "./support/wire.ts";

const SIZES = { full: { rounds: 5, mails: 20 }, moment: { rounds: 0, mails: 1 } };
/** What is printed before the sender has heard of it took no time; a ratio needs some. */
const LEAST_MS = 0.1;

const bounds = { latency: { on: "ratio", at_most: 3 } } as const;

export const scenario: Scenario = {
  name: "long-poll",
  measures:
    "Mail to an agent whose `parley poll --wait` is running: from acknowledged to printed, p95 of 20, against a bare HTTP long-poll",
  bounds,
  async run(effort) {
    const { rounds, mails } = SIZES[effort];
    await using hub = await Server.start("hub");
    await using bare = await Server.start("bare-wait");
    const token = await hub.ask<string>("token", { role: "human", name: "ana" });
    const env = {
      PARLEY_URL: `http://127.0.0.1:${hub.port}`,
      PARLEY_TOKEN: await hub.ask<string>("token", { role: "agent", name: "mason" }),
    };
    const call = (tool: string, args: object, port: number, as = token): Buffer =>
      callOf(tool, { port, token: as }, args);
    const args = { to: ["mason"], subject: "The build", body: CONTENT };
    const waiter = fileURLToPath(new URL("children/bare-waiter.ts", import.meta.url));
    const ours = () =>
      p95(hub, {
        mails,
        wait: () => start([PARLEY, "poll", "--wait", "60s"], { folder: hub.folder, env }),
        send: call("mail_send", args, hub.port),
        // Or the next one would find it there.
        after: (printed) => call("mail_update", { ids: idsIn(printed), action: "read" }, hub.port, env.PARLEY_TOKEN),
      });
    const reference = () =>
      p95(bare, {
        mails,
        wait: () => start([process.execPath, waiter, String(bare.port)], { folder: bare.folder, env: {} }),
        send: call("mail_send", args, bare.port),
        after: () => undefined,
      });
    const pairs = await interleaved(rounds, ours, reference);
    return [figure("from acknowledged to printed, p95", pairs, { unit: "ms", bound: bounds.latency })];
  },
};

interface Side {
  mails: number;
  wait: () => Program;
  send: Buffer;
  after: (printed: string) => Buffer | undefined;
}

async function p95(server: Server, { mails, wait, send, after }: Side): Promise<number> {
  const took: number[] = [];
  for (let mail = 0; mail < mails; mail += 1) {
    using connection = await Connection.open(server.port);
    const program = wait();
    const printing = new Promise<number>((resolve) => program.stdout.once("data", () => resolve(performance.now())));
    const ended = finished(program);
    await connected(server.port, 2);
    const acknowledged = connection.ask(send).then(({ status, text }) => {
      if (status !== 200) throw new Error(`a mail was not taken: ${text.slice(0, 300)}`);
      return performance.now();
    });
    const [acked_at, printed_at] = await Promise.all([acknowledged, printing]);
    took.push(Math.max(LEAST_MS, printed_at - acked_at));
    const next = after(await ended);
    if (next) await connection.ask(next);
  }
  if (connections(server.port) > 1) throw new Error("a waiter was left behind");
  return quantile(took, 0.95);
}

const idsIn = (printed: string): string[] =>
  // What `parley poll` printed.
  (JSON.parse(printed) as { messages: { id: string }[] }).messages.map(({ id }) => id);
