import { setTimeout as sleep } from "node:timers/promises";
import { Server } from "./support/child.ts";
import { Connection } from "./support/connection.ts";
import { Listeners } from "./support/listeners.ts";
import { figure, interleaved, type Pair, quantile } from "./support/rounds.ts";
import type { Figure, Scenario } from "./support/scenario.ts";
import { CONTENT, callOf, modernRpc } from "./support/wire.ts";

const SIZES = {
  full: { many: 500, few: 50, subscriptions: 10, calls: 300, rounds: 5 },
  moment: { many: 4, few: 2, subscriptions: 2, calls: 20, rounds: 0 },
};
/** Calls a second, at even distances: both sides are offered the same. */
const RATE = 100;
/** Of which so many are under way at most; more than that is a hub that does not keep up. */
const MOST_UNDER_WAY = 64;

const bounds = {
  call: { on: "ours", at_most: 100 },
  notification: { on: "ours", at_most: 50 },
  growth: { on: "ratio", at_most: 1.5 },
} as const;

export const scenario: Scenario = {
  name: "notifications",
  measures:
    "500 spaces with 10 subscriptions each, 100 calls a second to any of them: p95 of a call, and from sending a write until each subscriber was told, against 50 spaces",
  bounds,
  async run(effort) {
    const { many, few, subscriptions, calls, rounds } = SIZES[effort];
    await using large = await Team.open(many, subscriptions);
    await using small = await Team.open(few, subscriptions);
    const told: Pair[] = [];
    const called = await interleaved(
      rounds,
      () => large.work(calls),
      () => small.work(calls),
    );
    for (const [round, ours] of large.told.entries()) told.push({ ours, reference: small.told[round] ?? Number.NaN });
    const measured = told.slice(told.length - called.length);
    const cpu = large.cpu.map((ours, round) => ({ ours, reference: small.cpu[round] ?? Number.NaN }));
    const unit = "ms";
    return [
      figure("p95 of a call", called, { unit, bound: bounds.call }),
      figure("p95 of a call, against 50 spaces", called, { unit, bound: bounds.growth }),
      figure("p95 of a notification", measured, { unit, bound: bounds.notification }),
      figure("p95 of a notification, against 50 spaces", measured, { unit, bound: bounds.growth }),
      // It hardly depends on what else the machine does.
      figure("CPU of the hub a call, with its notifications", cpu.slice(cpu.length - called.length), {
        unit: "µs",
        bound: bounds.growth,
      }),
    ] satisfies Figure[];
  },
};

/** What a mixture of calls writes so that whoever is told of it can be recognised; undefined for reads. */
type Call = { tool: string; args: (mark: string) => object; told: boolean };
const MIXTURE: readonly Call[] = [
  { tool: "add_note", args: (mark) => ({ content: `${mark} ${CONTENT}`, tags: ["bench"] }), told: true },
  { tool: "read_notes", args: () => ({ tag: "bench", limit: 20 }), told: false },
  { tool: "write_draft_section", args: (mark) => ({ section_id: "a", content: `${mark} ${CONTENT}` }), told: true },
  { tool: "add_note", args: (mark) => ({ content: `${mark} ${CONTENT}` }), told: true },
  { tool: "read_draft", args: () => ({}), told: false },
  { tool: "add_tasks", args: () => ({ tasks: [{ description: CONTENT }] }), told: false },
];

/** A hub with so many spaces, each of which has its subscribers. */
class Team implements AsyncDisposable {
  /** p95 of the notifications of each round. */
  readonly told: number[] = [];
  /** Microseconds of CPU a call of each round. */
  readonly cpu: number[] = [];
  readonly #server: Server;
  readonly #tokens: readonly string[];
  readonly #subscriptions: number;
  readonly #listeners: Listeners;
  #calls = 0;

  static async open(spaces: number, subscriptions: number): Promise<Team> {
    const server = await Server.start("hub");
    const tokens: string[] = [];
    for (let at = 0; at < spaces; at += 1) tokens.push(await server.ask<string>("space", { id: `sess_${at}` }));
    const { port } = server;
    // A section that is there is updated from then on, and that is told with its words.
    using connection = await Connection.open(port);
    for (const token of tokens)
      await connection.ask(callOf("write_draft_section", { port, token }, { section_id: "a", content: "first" }));
    const params = { notifications: { "parley/scratchpad": {} } };
    const requests = tokens.flatMap((token) =>
      Array.from({ length: subscriptions }, (_, id) =>
        modernRpc({ port, token }, { id, method: "subscriptions/listen", params }),
      ),
    );
    return new Team(server, { tokens, subscriptions, listeners: await Listeners.open(port, requests) });
  }

  private constructor(server: Server, of: { tokens: readonly string[]; subscriptions: number; listeners: Listeners }) {
    this.#server = server;
    this.#tokens = of.tokens;
    this.#subscriptions = of.subscriptions;
    this.#listeners = of.listeners;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners[Symbol.dispose]();
    await this.#server[Symbol.asyncDispose]();
  }

  /** p95 of the calls, in milliseconds; that of their notifications is kept. */
  async work(calls: number): Promise<number> {
    const sent = new Map<string, number>();
    const told: number[] = [];
    let due = 0;
    this.#listeners.hear((text) => {
      for (const [mark] of text.matchAll(/<\d+>/g)) {
        const at = sent.get(mark);
        if (at !== undefined) told.push(performance.now() - at);
      }
    });
    using free = await Idle.open(this.#server.port);
    const times: Promise<number>[] = [];
    const cpu = await this.#server.ask<number>("cpu");
    const started = performance.now();
    for (let at = 0; at < calls; at += 1) {
      await sleep(Math.max(0, started + (at * 1000) / RATE - performance.now()));
      const { tool, args, told } = MIXTURE[at % MIXTURE.length] ?? raise("a mixture of nothing");
      this.#calls += 1;
      const mark = `<${this.#calls}>`;
      // Spread over all of them, each as often as the others.
      const token = this.#tokens[(this.#calls * 7) % this.#tokens.length] ?? "";
      const request = callOf(tool, { port: this.#server.port, token }, args(mark));
      if (told) due += this.#subscriptions;
      sent.set(mark, performance.now());
      times.push(free.ask(request));
    }
    const taken = await Promise.all(times);
    for (let waited = 0; told.length < due && waited < 5000; waited += 10) await sleep(10);
    if (told.length !== due) throw new Error(`${told.length} of ${due} notifications came`);
    this.told.push(quantile(told, 0.95));
    this.cpu.push(((await this.#server.ask<number>("cpu")) - cpu) / calls);
    return quantile(taken, 0.95);
  }
}

/** Connections that wait for something to ask. */
class Idle implements Disposable {
  readonly #all: readonly Connection[];
  readonly #free: Connection[];

  static async open(port: number): Promise<Idle> {
    return new Idle(await Promise.all(Array.from({ length: MOST_UNDER_WAY }, () => Connection.open(port))));
  }

  private constructor(connections: Connection[]) {
    this.#all = connections;
    this.#free = [...connections];
  }

  /** How many milliseconds it took. */
  async ask(request: Buffer): Promise<number> {
    const connection = this.#free.pop() ?? raise(`the hub leaves ${MOST_UNDER_WAY} calls unanswered`);
    const started = performance.now();
    const { status, text } = await connection.ask(request);
    if (status !== 200) throw new Error(`an answer was not 200: ${text.slice(0, 300)}`);
    this.#free.push(connection);
    return performance.now() - started;
  }

  [Symbol.dispose](): void {
    for (const connection of this.#all) connection[Symbol.dispose]();
  }
}

function raise(sentence: string): never {
  throw new Error(sentence);
}
