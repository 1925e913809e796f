import { randomBytes } from "node:crypto";
import pg from "pg";

const CHANNEL = "parley";
/** A notification's payload holds at most 8000 bytes. */
const MOST_SPACES = 80;

/**
 * Tells other nodes which spaces have something new: one merged NOTIFY after the commit,
 * outside the write's transaction (inside it halves the inserts). It may get lost; the poll
 * then finds what was missed, so losing one costs only time.
 */
export class Doorbell {
  onRing: (space_id: string) => void = () => {};
  readonly #url: string;
  readonly #pool: pg.Pool;
  readonly #node = randomBytes(6).toString("hex");
  /** Where this node last saw each watched space. */
  readonly #seen = new Map<string, number>();
  #pending = new Set<string>();
  #ringing: Promise<void> | undefined;
  #ear: pg.Client | undefined;
  #closed = false;

  constructor(url: string, pool: pg.Pool) {
    this.#url = url;
    this.#pool = pool;
  }

  async open(): Promise<void> {
    // Not from the pool: a LISTEN belongs to one connection for as long as it lives.
    const ear = new pg.Client({ connectionString: this.#url, application_name: "parley doorbell", keepAlive: true });
    ear.on("notification", ({ payload }) => this.#hear(payload ?? ""));
    ear.on("error", () => this.#lose(ear));
    ear.on("end", () => this.#lose(ear));
    await ear.connect();
    await ear.query(`listen ${CHANNEL}`);
    this.#ear = ear;
  }

  ring(space_ids: readonly string[]): void {
    for (const space_id of space_ids) this.#pending.add(space_id);
    if (this.#pending.size > 0) this.#ringing ??= this.#send();
  }

  /** Looks at the counters of the watched spaces and rings for those that moved. */
  async poll(space_ids: readonly string[]): Promise<void> {
    if (!this.#ear && !this.#closed) await this.open();
    const { rows } = await this.#pool.query<{ id: string; last_id: number }>({
      name: "doorbell",
      text: "select id, last_id from spaces where id = any($1::text[])",
      values: [space_ids],
    });
    for (const { id, last_id } of rows) {
      const seen = this.#seen.get(id);
      this.#seen.set(id, last_id);
      if (seen !== undefined && seen < last_id) this.onRing(id);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#ringing;
    await this.#ear?.end();
  }

  async #send(): Promise<void> {
    while (this.#pending.size > 0 && !this.#closed) {
      const spaces = [...this.#pending].slice(0, MOST_SPACES);
      for (const space_id of spaces) this.#pending.delete(space_id);
      const payload = `${this.#node} ${spaces.join(" ")}`;
      // A lost ring is made good by the poll.
      await this.#pool.query("select pg_notify($1, $2)", [CHANNEL, payload]).catch(() => undefined);
    }
    this.#ringing = undefined;
  }

  #hear(payload: string): void {
    const [node, ...space_ids] = payload.split(" ");
    if (node === this.#node) return;
    for (const space_id of space_ids) this.onRing(space_id);
  }

  #lose(ear: pg.Client): void {
    if (this.#ear === ear) this.#ear = undefined;
  }
}
