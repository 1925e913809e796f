import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import type { Glance } from "./clock.ts";

const CHANNEL = "parley";
/** A notification's payload holds at most 8000 bytes. */
const MOST_SPACES = 80;
/** Of more than this a quarter is looked at each time. */
const MOST_AT_ONCE = 100;
const QUARTERS = 4;
/** Shorter than for everybody else: this connection is also how the hub finds out that the database is gone. */
const PATIENCE_MS = 2000;
/** The first ring goes out at once, and so often the next ones: each wakes every node, and a busy one would ring for each batch. */
const RING_AGAIN_MS = 10;

/**
 * Tells other nodes which spaces have something new: one merged NOTIFY after the commit,
 * outside the write's transaction (inside it halves the inserts), on a connection of its own.
 * It may get lost; the poll then finds what was missed, so losing one costs only time.
 */
export class Doorbell {
  onRing: (space_id: string, last_id?: number) => void = () => {};
  readonly #url: string;
  readonly #node = randomBytes(6).toString("hex");
  /** Which of many spaces are next. */
  #from = 0;
  /** Where the watched spaces stood when we last looked at them. */
  #seen = new Map<string, number>();
  #pending = new Set<string>();
  #ringing: Promise<void> | undefined;
  #line: pg.Client | undefined;
  #closed = false;

  constructor(url: string) {
    this.#url = url;
  }

  ring(space_ids: readonly string[]): void {
    for (const space_id of space_ids) this.#pending.add(space_id);
    if (this.#pending.size > 0) this.#ringing ??= this.#send();
  }

  /** Rings for what should be known by now, and says what time and which schema it is there. Opens the line anew if it was lost. */
  async poll(space_ids: readonly string[]): Promise<{ clock: Glance; schema: number }> {
    const line = this.#line ?? (await this.#open());
    const [clock, schema, counters] = await Promise.all([
      clockOf(line),
      line.query<{ version: number }>("select version from schema"),
      line.query<{ id: string; last_id: string }>("select id, last_id from spaces where id = any($1::text[])", [
        this.#nextOf(space_ids),
      ]),
    ]);
    // Not for what we see just now: most of that is our own, or rings by itself in a moment.
    for (const [id, last_id] of this.#seen) this.onRing(id, last_id);
    this.#seen = new Map(counters.rows.map(({ id, last_id }) => [id, Number(last_id)]));
    return { clock, schema: schema.rows[0]?.version ?? 0 };
  }

  /** All of a few; of many a quarter, the next one each time: to find what was missed may take longer there. */
  #nextOf(space_ids: readonly string[]): readonly string[] {
    if (space_ids.length <= MOST_AT_ONCE) return space_ids;
    const from = this.#from < space_ids.length ? this.#from : 0;
    this.#from = from + Math.ceil(space_ids.length / QUARTERS);
    return space_ids.slice(from, this.#from);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#ringing;
    const line = this.#line;
    if (!line) return;
    // A database that does not answer any more does not say goodbye either.
    await Promise.race([line.end(), setTimeout(PATIENCE_MS, undefined, { ref: false })]);
  }

  async #open(): Promise<pg.Client> {
    const line = new pg.Client({
      connectionString: this.#url,
      application_name: "parley doorbell",
      connectionTimeoutMillis: PATIENCE_MS,
      query_timeout: PATIENCE_MS,
      keepAlive: true,
      // With it, a query that is not answered in time ends the connection.
      pipeline: true,
    } as pg.ClientConfig); // `pipeline` is newer than the published types
    line.on("notification", ({ payload }) => this.#hear(payload ?? ""));
    line.on("error", () => this.#lose(line));
    line.on("end", () => this.#lose(line));
    await line.connect();
    this.#line = line;
    await line.query(`listen ${CHANNEL}`);
    return line;
  }

  async #send(): Promise<void> {
    while (this.#pending.size > 0) {
      const spaces = [...this.#pending].slice(0, MOST_SPACES);
      for (const space_id of spaces) this.#pending.delete(space_id);
      const payload = `${this.#node} ${spaces.join(" ")}`;
      // A lost ring is made good by the poll.
      await this.#line?.query("select pg_notify($1, $2)", [CHANNEL, payload]).catch(() => undefined);
      // Whoever stops waits until all is rung.
      if (!this.#closed) await setTimeout(RING_AGAIN_MS);
    }
    this.#ringing = undefined;
  }

  #hear(payload: string): void {
    const [node, ...space_ids] = payload.split(" ");
    if (node === this.#node) return;
    for (const space_id of space_ids) this.onRing(space_id);
  }

  #lose(line: pg.Client): void {
    if (this.#line === line) this.#line = undefined;
  }
}

/** The database's own clock, in milliseconds since 1970. */
export async function clockOf(connection: pg.Pool | pg.Client): Promise<Glance> {
  const asked = Date.now();
  const { rows } = await connection.query<{ ms: number }>(
    "select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms",
  );
  // Ours shows whole milliseconds, of which the last one is not over.
  const answered = Date.now() + 1;
  return { asked, shown: rows[0]?.ms ?? asked, answered };
}
