import type { ServerResponse } from "node:http";
import type { Actor } from "../context.ts";
import { ParleyError } from "../errors.ts";
import { checkPosition, type FeedEvent, findHead, listEventsSince } from "../feed/index.ts";
import type { Hub } from "../hub.ts";
import { formatId, Id, parseId, timeOfId } from "../ids.ts";
import type { Told, Topic } from "../module.ts";
import type { Wanted } from "./events.ts";
import { Outlet, type Outlets } from "./outlet.ts";

const PAGE = 200;
/** The position of whoever came before anything was written. */
const NOWHERE = "0";
/** One buffer for all readers of an event. */
const frames = new WeakMap<FeedEvent, Buffer | null>();

/**
 * One reader of `/events`. At the head it is told of each event as it becomes durable. Behind
 * it, or when its socket does not drain, it reads on from its own position instead, so that
 * nothing is queued for it and nothing is left out.
 */
export class Follower {
  readonly #hub: Hub;
  readonly #actor: Actor;
  readonly #wanted: ReadonlyMap<string, Wanted>;
  readonly #stops: (() => void)[] = [];
  #outlet: Outlet | undefined;
  #position = 0;
  #reading = true;
  #behind = false;
  /** Whether what holds now may be something else than was told last. */
  #stale = true;
  #telling = false;
  readonly #states = new Map<string, string>();

  constructor(hub: Hub, { actor, wanted }: { actor: Actor; wanted: ReadonlyMap<string, Wanted> }) {
    this.#hub = hub;
    this.#actor = actor;
    this.#wanted = wanted;
  }

  async start({ response, outlets, after }: { response: ServerResponse; outlets: Outlets; after: string | undefined }) {
    const { from, lost } = await this.#from(after);
    await this.#listen();
    // Only now: what is written from here on either is told or lies behind this position.
    this.#position = from ?? (await findHead(this.#hub.database, this.#actor.space_id));
    this.#open(response, outlets);
    this.#outlet?.open({}, hello(this.#position, lost));
    await this.#readOn();
  }

  /** Where to go on. A position that can no longer be followed is told as `resync`: read again, then follow. */
  async #from(after: string | undefined): Promise<{ from?: number; lost?: string }> {
    if (after === undefined || after === "") return {};
    if (after !== NOWHERE && !Id.safeParse(after).success)
      throw new ParleyError("INVALID_ARGUMENT", "Last-Event-ID is the id of an event, a string of digits.");
    const after_id = parseId(after);
    try {
      await checkPosition(this.#hub.ctx(this.#actor), { topic: "feed", stream: "", after_id });
      return { from: after_id };
    } catch (error) {
      if (error instanceof ParleyError && error.code.startsWith("WATERMARK")) return { lost: error.code };
      throw error;
    }
  }

  async #listen(): Promise<void> {
    const { space_id } = this.#actor;
    for (const [topic, { streams }] of this.#wanted)
      for (const stream of streams ?? [undefined])
        this.#stops.push(await this.#hub.feed.listen({ space_id, topic, stream }, (event) => this.#hear(event)));
  }

  #open(response: ServerResponse, outlets: Outlets): void {
    const outlet = new Outlet(response, outlets);
    const leave = this.#hub.streams.add({
      kind: "events",
      actor: this.#actor,
      close: (why) => (why === "stopping" ? outlet.end() : outlet.destroy()),
    });
    outlet.ondrain = () => {
      this.#behind = true;
      // Reading already, it sees that there is more to do.
      if (!this.#reading) void this.#readOn();
    };
    outlet.onclose = (why) => {
      for (const stop of this.#stops) stop();
      leave();
      if (why === "dropped") this.#hub.metrics.dropped.inc({ reason: "slow" });
    };
    this.#outlet = outlet;
  }

  #hear(event: FeedEvent): void {
    if (event.id <= this.#position) return;
    if (this.#reading || !this.#outlet || this.#outlet.stalled) this.#behind = true;
    else this.#write(event);
  }

  #write(event: FeedEvent): boolean {
    this.#position = event.id;
    const wanted = this.#wanted.get(event.topic);
    if (!wanted || (wanted.streams && !wanted.streams.includes(event.stream))) return true;
    const frame = frameOf(event, wanted.topic);
    if (wanted.topic.state?.changedBy(event)) this.#changed();
    return frame === null || (this.#outlet?.write(frame) ?? false);
  }

  /** Reads from the position to the head; stops when the reader lags and goes on when it drains. */
  async #readOn(): Promise<void> {
    this.#reading = true;
    try {
      do {
        this.#behind = false;
        const where = { space_id: this.#actor.space_id, after_id: this.#position, limit: PAGE };
        const events = await listEventsSince(this.#hub.database, where);
        if (!events.every((event) => this.#write(event))) return;
        if (events.length === PAGE) this.#behind = true;
      } while (this.#behind && !this.#outlet?.closed);
    } catch (error) {
      // The reader comes back with its last position.
      this.#hub.log.warn("a stream of events could not read on", { error });
      this.#outlet?.destroy();
    } finally {
      this.#reading = false;
      if (this.#stale) void this.#tellStates();
    }
  }

  #changed(): void {
    this.#stale = true;
    // Reading, it tells at the end of it.
    if (!this.#reading) void this.#tellStates();
  }

  /** Asks for what holds now, once for however much happened meanwhile. It has no position: who comes back is told anew. */
  async #tellStates(): Promise<void> {
    if (this.#telling) return;
    this.#telling = true;
    try {
      while (this.#stale && this.#isOpen()) {
        this.#stale = false;
        for (const { topic, agent } of this.#wanted.values()) {
          const told = await topic.state?.of(this.#hub.ctx(this.#actor), agent);
          if (told) this.#tellState(told);
        }
      }
    } catch (error) {
      this.#hub.log.warn("a stream of events could not tell what holds now", { error });
      this.#outlet?.destroy();
    } finally {
      this.#telling = false;
    }
  }

  #isOpen(): boolean {
    return this.#outlet !== undefined && !this.#outlet.closed && !this.#outlet.stalled;
  }

  #tellState({ name, data }: Told): void {
    const text = JSON.stringify(data);
    if (this.#states.get(name) === text) return;
    this.#states.set(name, text);
    this.#outlet?.write(`event: ${name}\ndata: ${text}\n\n`);
  }
}

/** Tells the reader where it stands before anything happens: coming back with it, it has missed nothing. */
function hello(position: number, lost: string | undefined): string {
  const resync = lost ? `event: resync\ndata: ${JSON.stringify({ reason: lost })}\n` : "";
  return `retry: 1000\nid: ${position}\n${resync}\n`;
}

function frameOf(event: FeedEvent, topic: Topic): Buffer | null {
  const known = frames.get(event);
  if (known !== undefined) return known;
  const told = topic.wire(event);
  const frame = told && frameWith(event, topic, told);
  frames.set(event, frame);
  return frame;
}

function frameWith(event: FeedEvent, { name, also }: Topic, told: Record<string, unknown>): Buffer {
  const id = formatId(event.id);
  const facts = { id, ts: timeOfId(event.id), type: event.type, ref: formatId(event.ref) };
  const frames = [{ name, data: told }, ...(also?.(event) ?? [])];
  // The position comes with the last of them: whoever got only some is told again.
  return Buffer.from(
    frames
      .map(({ name, data }, at) => {
        const position = at === frames.length - 1 ? `id: ${id}\n` : "";
        return `${position}event: ${name}\ndata: ${JSON.stringify({ ...facts, ...data })}\n\n`;
      })
      .join(""),
  );
}
