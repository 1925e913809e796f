import type { ServerResponse } from "node:http";
import type { Actor } from "../context.ts";
import { type FeedEvent, Following, resumeAt } from "../feed/index.ts";
import type { Hub } from "../hub.ts";
import { formatId, timeOfId } from "../ids.ts";
import type { NamedEvent, Topic } from "../module.ts";
import type { Wanted } from "./events.ts";
import { Outlet, type Outlets } from "./outlet.ts";

/** One buffer for all readers of an event. */
const frames = new WeakMap<FeedEvent, Buffer | null>();
/** And one look at what holds after it, for all readers who are told the same. */
const states = new WeakMap<FeedEvent, Map<string, Promise<NamedEvent>>>();

/** One reader of `/events`: what `Following` tells, as frames for its socket, which has room for more or has not. */
export class Follower {
  readonly #hub: Hub;
  readonly #actor: Actor;
  readonly #wanted: ReadonlyMap<string, Wanted>;
  #following: Following | undefined;
  #outlet: Outlet | undefined;
  /** Whether what holds now may be something else than was told last, and after which event it is if one is known. */
  #stale = true;
  #changed_by: FeedEvent | undefined;
  #telling = false;
  readonly #states = new Map<string, string>();

  constructor(hub: Hub, { actor, wanted }: { actor: Actor; wanted: ReadonlyMap<string, Wanted> }) {
    this.#hub = hub;
    this.#actor = actor;
    this.#wanted = wanted;
  }

  async start({ response, outlets, after }: { response: ServerResponse; outlets: Outlets; after: string | undefined }) {
    const { from, lost } = await resumeAt(this.#hub.ctx(this.#actor), after);
    const following = await this.#follow(from);
    try {
      this.#outlet = this.#open(response, outlets, following);
    } catch (error) {
      following[Symbol.dispose]();
      throw error;
    }
    this.#outlet.open({}, hello(following.position, lost));
    following.resume();
  }

  async #follow(from: number | undefined): Promise<Following> {
    const { feed, database, log } = this.#hub;
    const options = {
      feed,
      db: database,
      space_id: this.#actor.space_id,
      wanted: this.#wanted,
      tell: (event: FeedEvent) => this.#write(event),
      onrest: () => {
        if (this.#stale) void this.#tellStates();
      },
      onfail: (error: unknown) => {
        // The reader comes back with its last position.
        log.warn("a stream of events could not read on", { error });
        this.#outlet?.destroy();
      },
    };
    this.#following = await Following.open(options, from);
    return this.#following;
  }

  #open(response: ServerResponse, outlets: Outlets, following: Following): Outlet {
    const outlet = new Outlet(response, outlets);
    const leave = this.#hub.streams.add({
      kind: "events",
      actor: this.#actor,
      close: (why) => (why === "stopping" ? outlet.end() : outlet.destroy()),
    });
    outlet.ondrain = () => following.resume();
    outlet.onclose = (why) => {
      following[Symbol.dispose]();
      leave();
      if (why === "dropped") this.#hub.metrics.dropped.inc({ reason: "slow" });
    };
    return outlet;
  }

  #write(event: FeedEvent): boolean {
    const wanted = this.#wanted.get(event.topic);
    if (!wanted) return true;
    const frame = frameOf(event, wanted.topic);
    if (wanted.topic.state?.changedBy(event)) this.#changed(event);
    return frame === null || (this.#outlet?.write(frame) ?? false);
  }

  #changed(event: FeedEvent): void {
    this.#stale = true;
    this.#changed_by = event;
    // Reading, it tells at the end of it.
    if (!this.#following?.reading) void this.#tellStates();
  }

  /** Asks for what holds now, once for however much happened meanwhile. It has no position: who comes back is told anew. */
  async #tellStates(): Promise<void> {
    if (this.#telling) return;
    this.#telling = true;
    try {
      while (this.#stale && this.#isOpen()) {
        this.#stale = false;
        for (const wanted of this.#wanted.values()) {
          const told = await this.#stateOf(wanted);
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

  #stateOf({ topic, agent }: Wanted): Promise<NamedEvent> | undefined {
    const look = (): Promise<NamedEvent> | undefined => topic.state?.of(this.#hub.ctx(this.#actor), agent);
    if (!this.#changed_by || !topic.state) return look();
    const known = states.get(this.#changed_by) ?? new Map<string, Promise<NamedEvent>>();
    states.set(this.#changed_by, known);
    // An event is of one space; who else is told of it may not be told the same.
    const { token_id, caller_agent } = this.#actor;
    const key = JSON.stringify([topic.name, token_id, caller_agent, agent]);
    const told = known.get(key) ?? look();
    if (told) known.set(key, told);
    return told;
  }

  #isOpen(): boolean {
    return this.#outlet !== undefined && !this.#outlet.closed && !this.#outlet.stalled;
  }

  #tellState({ name, data }: NamedEvent): void {
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
  const told = topic.wire ? topic.wire(event) : event.data;
  const frame = told && frameWith(event, topic, told);
  frames.set(event, frame);
  return frame;
}

function frameWith(event: FeedEvent, { name, also }: Topic, told: object): Buffer {
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
