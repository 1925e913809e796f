/** What others notice of an attack: how long the hub keeps their own calls waiting meanwhile, against how long in peace. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Attack, Came, Order } from "./attacker.ts";
import { MEASURED_AT, type Question, type Took } from "./neighbour.ts";
import { until } from "./process.ts";

const ATTACKER = fileURLToPath(new URL("attacker.ts", import.meta.url));
const NEIGHBOUR = fileURLToPath(new URL("neighbour.ts", import.meta.url));
/** What counts is the median of three at least: where two of them keep to a bound, the third changes nothing any more. */
const DECIDED = 2;
const LEAST_MEASURED = 3;
const MOST_MEASURED = 9;
/** However slow the machine is. */
const SOON_MS = 300_000;
const CALLS = 200;
/** To open or close a thousand connections at once costs what it costs: what is measured begins when the hub is done with it. */
const SETTLING_CALLS = 40;
/** Below this there is nothing to see but what the hub does by itself now and then. */
const FLOOR_MS = 5;

export interface Siege extends Omit<Attack, "port"> {
  /** From when on it has reached its limit, by all that came of it: what it may spend before is its own. */
  held: (came: Came) => boolean | Promise<boolean>;
  /** What else is looked at while it lasts. */
  meanwhile?: () => Promise<void>;
}

export interface Noticed {
  /** The p99 of another's calls under attack, as a multiple of the one in peace. */
  slowdown: number;
  /** By the clock, which other work on this machine moves too. */
  passed_ms: number;
  came: Came;
}

/** The neighbour in a hub's process, which is told where to find this when it starts. */
export class Measure implements AsyncDisposable {
  readonly env: Record<string, string>;
  readonly #server: Server;
  readonly #connected: Promise<[Socket]>;
  #answers: AsyncIterator<string> | undefined;

  constructor(folder: string) {
    const path = join(folder, "measure.sock");
    this.#server = createServer().listen(path);
    this.#connected = once(this.#server, "connection") as Promise<[Socket]>;
    this.env = { [MEASURED_AT]: path, NODE_OPTIONS: `--import=${NEIGHBOUR}` };
  }

  /** The p99 of so many calls. */
  async p99(question: Question): Promise<{ worked: number; passed: number }> {
    const [socket] = await this.#connected;
    this.#answers ??= createInterface(socket)[Symbol.asyncIterator]();
    socket.write(`${JSON.stringify(question)}\n`);
    const took: Took | { failed: string } = JSON.parse((await this.#answers.next()).value);
    if ("failed" in took) throw new Error(took.failed);
    return { worked: p99(took.worked), passed: p99(took.passed) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const [socket] = await this.#connected;
    socket.destroy();
    this.#server.close();
  }
}

interface Watch {
  measure: Measure;
  url: string;
  /** What the other one asks. */
  request: string;
  most: number;
  most_ms: number;
}

/**
 * In peace, then under attack. What counts are medians, of three measurements at least: other work on this machine may
 * spoil some of them, what an attack costs comes every time.
 */
export async function underAttack(
  { measure, url, request, most, most_ms }: Watch,
  { held, meanwhile, ...attack }: Siege,
): Promise<Noticed> {
  await using attacker = await Attacker.start({ ...attack, port: Number(new URL(url).port) });
  const idle = new Medians(() => measure.p99({ url, request, calls: CALLS }));
  const attacked = new Medians(() => measure.p99({ url, request, calls: CALLS }));
  const slowdown = (): number => attacked.worked / Math.max(idle.worked, FLOOR_MS);
  await measure.p99({ url, request, calls: SETTLING_CALLS });
  while (idle.count < DECIDED || (idle.worked > FLOOR_MS && idle.count < LEAST_MEASURED)) await idle.add();
  await attacker.tell("go");
  await until(async () => held(await attacker.tell("tell")), SOON_MS);
  await measure.p99({ url, request, calls: SETTLING_CALLS });
  while (attacked.count < DECIDED) await attacked.add();
  while ((slowdown() > most || attacked.passed >= most_ms) && attacked.count < MOST_MEASURED) await attacked.add();
  await meanwhile?.();
  const came = await attacker.tell("rest");
  return { slowdown: slowdown(), passed_ms: attacked.passed, came };
}

class Medians {
  readonly #all: { worked: number; passed: number }[] = [];
  readonly #measure: () => Promise<{ worked: number; passed: number }>;

  constructor(measure: () => Promise<{ worked: number; passed: number }>) {
    this.#measure = measure;
  }

  get count(): number {
    return this.#all.length;
  }

  get worked(): number {
    return median(this.#all.map(({ worked }) => worked));
  }

  get passed(): number {
    return median(this.#all.map(({ passed }) => passed));
  }

  async add(): Promise<void> {
    this.#all.push(await this.#measure());
  }
}

/** Of an even number the larger one of the two in the middle. */
const median = (all: readonly number[]): number =>
  [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;

const p99 = (took: readonly number[]): number =>
  [...took].sort((a, b) => a - b)[Math.ceil(took.length * 0.99) - 1] ?? Number.NaN;

export class Attacker implements AsyncDisposable {
  readonly #process: ChildProcess;

  static async start(attack: Attack): Promise<Attacker> {
    const attacker = new Attacker();
    await attacker.tell({ attack });
    return attacker;
  }

  private constructor() {
    this.#process = fork(ATTACKER, { execArgv: ["--disable-warning=ExperimentalWarning"] });
  }

  async tell(order: Order): Promise<Came> {
    this.#process.send(order);
    const [came] = await once(this.#process, "message");
    return came;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, "exit");
    this.#process.disconnect();
    await ended;
  }
}
