import type { Socket } from "node:net";
import pg from "pg";
import { ParleyError } from "../errors.ts";
import { type Job, runBatch } from "./batch.ts";
import { rebuildBloated } from "./bloat.ts";
import { Clock, offsetAfter, type Timekeeping } from "./clock.ts";
import { CoalescingSocket } from "./coalescing-socket.ts";
import type { Committed, Database, Health, Operation, WriteOptions } from "./database.ts";
import { clockOf, Doorbell } from "./doorbell.ts";
import { types } from "./flush.ts";
import { PostgresWriter, prepared } from "./postgres-writer.ts";
import type { Statement } from "./statement.ts";
import { epochOfHub } from "./store.ts";
import { nothingWritten, troubleOf } from "./trouble.ts";

/** Writes of one space that may share a transaction. */
const MOST_JOBS = 256;
/** How often a node looks for what a lost notification would have told it, and at the clock. */
const POLL_MS = 500;
const QUERY_TIMEOUT_MS = 10_000;
/** A node that stands still in a transaction keeps the others of its space waiting: less long than they wait, even for two of them. */
const STANDSTILL_MS = 4000;
/** How long a full disk is believed to be one. */
const FULL_MS = 5000;
const LOST: Health = { state: "lost", reason: "the database is out of reach." };

const OUTDATED = "A newer Parley uses the database: this node is stopping. Try again.";

/** As pg says it, so that it is taken for what it is. */
const cutOff = (): Error => new Error("Connection terminated");

interface Options extends Timekeeping {
  schema: number;
}

/** Any number of nodes on one database. Writes that wait on this node for the same space share a transaction. */
export class PostgresDatabase implements Database {
  readonly backend = "postgres";
  readonly shared = true;
  readonly revisionOf = (): undefined => undefined;
  epoch = "";
  readonly #url: string;
  readonly #pool: pg.Pool;
  readonly #doorbell: Doorbell;
  readonly #sockets = new Set<Socket>();
  readonly #clock: Clock;
  readonly #queues = new Map<string, { jobs: Job[]; running: Promise<void> }>();
  #poll: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  #offset = 0;
  #watched: readonly string[] = [];
  #health: Health = { state: "ready" };
  #full_at = 0;
  readonly #stopping = new AbortController();
  #is_cut_off = false;
  /** The one that this program knows. */
  readonly #schema: number;
  #onFatal: (error: Error) => void = () => {};
  readonly #onCommit: ((committed: Committed) => void)[] = [];

  private constructor(url: string, { schema, ...time }: Options) {
    this.#url = url;
    this.#pool = new pg.Pool({
      connectionString: url,
      max: 16,
      types,
      pipeline: true,
      application_name: "parley",
      connectionTimeoutMillis: QUERY_TIMEOUT_MS,
      // A connection that fell into a black hole would otherwise hang its caller for ever.
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
      stream: () => this.#openSocket(),
      // And what it left open would keep its space locked for ever.
      onConnect: (client: pg.ClientBase) => client.query(`set idle_in_transaction_session_timeout = ${STANDSTILL_MS}`),
    } as pg.PoolConfig); // `pipeline` and `onConnect` are newer than the published types
    // An idle connection that breaks is replaced by the pool; the next query tells whoever needs to know.
    this.#pool.on("error", () => {});
    this.#doorbell = new Doorbell(url);
    this.#clock = new Clock(() => Date.now() + this.#offset, time);
    this.#schema = schema;
  }

  static async open(url: string, options: Options): Promise<PostgresDatabase> {
    const database = new PostgresDatabase(url, options);
    try {
      database.#offset = offsetAfter(0, await clockOf(database.#pool));
      database.epoch = (await database.get(epochOfHub, {}))?.value ?? "";
      await database.#lookAround();
      database.#poll = setInterval(() => void database.#lookAround(), POLL_MS).unref();
      return database;
    } catch (error) {
      await database[Symbol.asyncDispose]();
      throw error;
    }
  }

  async get<A, R>(statement: Statement<A, R>, args: A): Promise<R | undefined> {
    return (await this.all(statement, args))[0];
  }

  async all<A, R>(statement: Statement<A, R>, args: A): Promise<R[]> {
    try {
      // The statement's type says what its rows look like.
      return (await this.#query(statement, args)).rows as R[];
    } catch (error) {
      if (troubleOf(error) === "operation") throw error;
      throw new ParleyError("STORAGE_UNAVAILABLE", "The hub's database is out of reach. Try again.", { cause: error });
    }
  }

  write<T>(space_id: string, operation: Operation<T>, { even_expired = false }: WriteOptions = {}): Promise<T> {
    const refusal = this.#refusal();
    if (refusal) return Promise.reject(refusal);
    return new Promise<T>((resolve, reject) => {
      // The queue holds operations of every result type; each is handed back only to its own promise.
      const job: Job = { space_id, operation, even_expired, resolve: resolve as (value: unknown) => void, reject };
      const queue = this.#queues.get(space_id);
      if (queue) queue.jobs.push(job);
      else this.#start(space_id, job);
    });
  }

  async compareAndSet<A>(statement: Statement<A>, args: A): Promise<number> {
    const refusal = this.#refusal();
    if (refusal) throw refusal;
    try {
      return (await this.#query(statement, args)).rowCount ?? 0;
    } catch (error) {
      if (troubleOf(error) === "operation") throw error;
      throw new ParleyError("STORAGE_UNAVAILABLE", "The hub's database is out of reach. Try again.", { cause: error });
    }
  }

  now(): number {
    return this.#clock.now();
  }

  wall(): number {
    return this.#clock.wall();
  }

  health(): Health {
    // Only a write can tell whether there is space again: after a while it is worth one.
    if (this.#health.state === "full" && performance.now() - this.#full_at > FULL_MS) this.#health = { state: "ready" };
    return this.#health;
  }

  onCommit(listener: (committed: Committed) => void): void {
    this.#onCommit.push(listener);
  }

  /** A PostgreSQL whose disk fails stops itself; to this node it is out of reach until it is back. */
  onFatal(listener: (error: Error) => void): void {
    this.#onFatal = listener;
    if (this.#health.state === "outdated") listener(new Error(this.#health.reason));
  }

  onRemote(listener: (space_id: string, last_id?: number) => void): void {
    this.#doorbell.onRing = listener;
  }

  watch(space_ids: readonly string[]): void {
    this.#watched = space_ids;
  }

  tidy(): Promise<void> {
    return rebuildBloated(this.#url, this.#stopping.signal);
  }

  beginStop(): void {
    this.#stopping.abort();
    if (this.#health.state === "lost") this.#cutOff();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#health = { state: "closing", reason: "it is stopping." };
    clearInterval(this.#poll);
    await Promise.all([...this.#queues.values()].map((queue) => queue.running));
    await this.#polling;
    await this.#doorbell.close();
    await this.#pool.end();
  }

  #refusal(): ParleyError | undefined {
    if (this.#health.state === "closing") return new ParleyError("STORAGE_UNAVAILABLE", "The hub is stopping.");
    if (this.#health.state === "outdated") return new ParleyError("SHUTTING_DOWN", OUTDATED);
    return undefined;
  }

  /** What it writes would not be what the newer program expects: from now on nothing, and the process ends in good order. */
  #giveWay(schema: number): void {
    if (this.#health.state === "closing" || this.#health.state === "outdated") return;
    const reason = `the database has schema ${schema} now, newer than this Parley knows (${this.#schema}).`;
    this.#health = { state: "outdated", reason };
    this.#onFatal(new Error(reason));
  }

  #query<A>(statement: Statement<A, unknown>, args: A): Promise<pg.QueryResult> {
    return this.#is_cut_off ? Promise.reject(cutOff()) : this.#pool.query(prepared(statement, args));
  }

  #openSocket(): Socket {
    const socket = new CoalescingSocket();
    this.#sockets.add(socket);
    return socket.on("close", () => this.#sockets.delete(socket));
  }

  /** Whoever waits for an answer is told that there is none, and whoever asks from now on as well. */
  #cutOff(): void {
    this.#is_cut_off = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #start(space_id: string, job: Job): void {
    const jobs = [job];
    this.#queues.set(space_id, { jobs, running: this.#drain(space_id, jobs) });
  }

  async #drain(space_id: string, jobs: Job[]): Promise<void> {
    while (jobs.length > 0) {
      // Everything that arrives in this turn of the event loop shares the transaction, also what those go on with whom the
      // last one has answered: without it they would wait for the next one to be over, and each had half of them.
      await new Promise((resolve) => setImmediate(resolve));
      try {
        if (this.#health.state === "outdated") throw new ParleyError("SHUTTING_DOWN", OUTDATED);
        await this.#runBatch(jobs.splice(0, MOST_JOBS));
        if (this.#health.state === "full" || this.#health.state === "lost") this.#health = { state: "ready" };
      } catch (error) {
        this.#markUnhealthy(error);
        if (error instanceof ParleyError) for (const job of jobs.splice(0)) job.reject(error);
        // Who waited while nobody answered is not made to wait for the next one that does not.
        if (troubleOf(error) === "lost") for (const job of jobs.splice(0)) job.reject(nothingWritten(error));
      }
    }
    this.#queues.delete(space_id);
  }

  async #runBatch(jobs: Job[]): Promise<void> {
    const connecting = this.#is_cut_off ? Promise.reject(cutOff()) : this.#pool.connect();
    const client = await connecting.catch((error: unknown) => {
      for (const job of jobs) job.reject(nothingWritten(error));
      throw error;
    });
    const writer = new PostgresWriter(client);
    const committed = await runBatch(writer, jobs, () => this.now()).catch((error: unknown) => {
      // Whatever state this connection is in, nobody should inherit it.
      client.release(true);
      throw error;
    });
    writer.leave();
    client.release();
    for (const space of committed) for (const tell of this.#onCommit) tell(space);
    this.#doorbell.ring(committed.map((space) => space.space_id));
  }

  #markUnhealthy(error: unknown): void {
    const trouble = troubleOf(error);
    if (
      this.#health.state === "closing" ||
      this.#health.state === "outdated" ||
      trouble === "operation" ||
      trouble === "busy"
    )
      return;
    this.#full_at = performance.now();
    this.#health = trouble === "full" ? { state: "full", reason: "the database's disk is full." } : LOST;
  }

  /** Hears what other nodes did and what time it is. It is also how a database that fell silent is noticed. */
  #lookAround(): Promise<void> {
    this.#polling ??= this.#doorbell
      .poll(this.#watched)
      .then(
        ({ clock, schema }) => {
          this.#offset = offsetAfter(this.#offset, clock);
          if (schema > this.#schema) this.#giveWay(schema);
          if (this.#health.state === "lost") this.#health = { state: "ready" };
        },
        () => {
          // Once may be a hiccup, and what is under way then would not be known to have happened.
          if (this.#stopping.signal.aborted && this.#health.state === "lost") this.#cutOff();
          if (this.#health.state === "ready") this.#health = LOST;
        },
      )
      .finally(() => {
        this.#polling = undefined;
      });
    return this.#polling;
  }
}
