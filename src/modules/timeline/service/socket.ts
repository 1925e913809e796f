/**
 * What people see of an agent, told as it changes. Nothing is queued for whoever reads slowly: one message is on its way at
 * a time, and when that has left, what changed meanwhile is read from the database, or all of it where that is much.
 */
import type { Ctx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import type { FeedEvent } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { Connected, Listen, Socket } from "../../../route.ts";
import { type Status, statusIn, TOPIC } from "./events.ts";
import { type Whose, whose } from "./items.ts";
import { changesSince, pieces, positionOf, runOf, snapshot } from "./state.ts";

const NO_SUCH_AGENT = 4404;
const FAILED = 1011;
/** Of how the run is, so much waits at most: the last is what counts. */
const MOST_STATUSES = 20;
/** Two messages of one connection never have the same id, so an id may be a little ahead of the position it was told at. */
const SLACK = 1000;

/** One that is not there, or not for the asker's eyes, is told so on the open connection, which browsers can read. */
export async function connectTimeline(ctx: Ctx, name: string | undefined, listen: Listen): Promise<Connected> {
  const of = await whose(ctx, name).catch((error: unknown) => {
    if (error instanceof ParleyError && error.code === "AGENT_NOT_FOUND") return undefined;
    throw error;
  });
  return of ? new TimelineSocket(ctx, of, listen).connected : nobody(name);
}

const nobody = (name: string | undefined): Connected => ({
  opened: (socket) => {
    const error = `There is no agent ${name ?? ""} here. agent_list shows who there is.`;
    socket.send({ event_id: 1, type: "error", code: "NO_AGENT", error }, () => socket.close(NO_SUCH_AGENT, "NO_AGENT"));
  },
  message: () => {},
  closed: () => {},
});

class TimelineSocket {
  readonly #ctx: Ctx;
  readonly #of: Whose;
  readonly #listen: Listen;
  #socket: Socket | undefined;
  #stop: () => void = () => {};
  #closed = false;
  /** Everything up to here was told. */
  #position = 0;
  #last_event_id = 0;
  #statuses: Status[] = [];
  #noted: Status | undefined;
  #resume: number | undefined;
  #dirty = false;
  #pumping = false;

  constructor(ctx: Ctx, of: Whose, listen: Listen) {
    this.#ctx = ctx;
    this.#of = of;
    this.#listen = listen;
  }

  get connected(): Connected {
    return {
      opened: (socket) => {
        this.#socket = socket;
        void this.#open().catch((error: unknown) => this.#fail(error));
      },
      message: (text) => this.#hear(text),
      closed: () => {
        this.#closed = true;
        this.#stop();
      },
    };
  }

  /** Listened to, then read: what happens from here on is told, or is in the snapshot. */
  async #open(): Promise<void> {
    const { inbox_id, principal_id } = this.#of;
    const places = new Map([["chat", { streams: [formatId(inbox_id)] }]]);
    if (principal_id !== undefined) places.set(TOPIC, { streams: [principal_id] });
    this.#pumping = true;
    this.#stop = await this.#listen(places, (event) => this.#happened(event));
    if (this.#closed) return this.#stop();
    await this.#sendSnapshot({ accepted: true });
    this.#pumping = false;
    this.#pump();
  }

  #happened(event: FeedEvent): void {
    const status = statusIn(event);
    if (status) this.#note(status);
    this.#dirty = true;
    this.#pump();
  }

  /** Told once, however often it is said. */
  #note(status: Status): void {
    if (this.#noted?.turn_id === status.turn_id && this.#noted.status === status.status) return;
    this.#noted = status;
    this.#statuses = [...this.#statuses, status].slice(-MOST_STATUSES);
  }

  #hear(text: string): void {
    const request = parsed(text);
    const seen = request?.last_seen_event_id;
    if (request === undefined) this.#refuse("INVALID_JSON", "Send JSON.");
    else if (request.type !== "resume" || typeof seen !== "number" || !Number.isSafeInteger(seen) || seen < 0)
      this.#refuse("INVALID_COMMAND", 'Send {"type":"resume","last_seen_event_id":N}.');
    else {
      this.#resume = seen;
      this.#pump();
    }
  }

  #refuse(code: string, error: string): void {
    this.#socket?.send({ event_id: this.#nextId(0), type: "error", code, error });
  }

  #pump(): void {
    if (this.#pumping || this.#closed) return;
    this.#pumping = true;
    void this.#tellAll()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#pumping = false;
        if (this.#dirty || this.#resume !== undefined) this.#pump();
      });
  }

  async #tellAll(): Promise<void> {
    while ((this.#dirty || this.#resume !== undefined) && !this.#closed) {
      const seen = this.#resume;
      this.#dirty = false;
      this.#resume = undefined;
      // Those of which the changes are told now: what is over is told behind what it came to.
      const statuses = this.#statuses.splice(0);
      const over = statuses.findIndex(({ outcome }) => outcome !== undefined);
      const first = over < 0 ? statuses : statuses.slice(0, over);
      await this.#tellStatuses(first);
      if (seen === undefined) await this.#tellChanges(this.#position);
      else await this.#replay(seen);
      await this.#tellStatuses(statuses.slice(first.length));
    }
  }

  async #tellStatuses(statuses: readonly Status[]): Promise<void> {
    for (const status of statuses) await this.#send({ type: "run_status", ...status }, 0);
  }

  /** From an id that this hub, or another node of it, told somebody: they may get a little twice, and nothing never. */
  async #replay(seen: number): Promise<void> {
    if (seen > this.#last_event_id) await this.#sendSnapshot();
    else await this.#tellChanges(Math.max(0, Math.min(seen, this.#position) - SLACK), { even_none: true });
  }

  async #tellChanges(after: number, { even_none = false } = {}): Promise<void> {
    const up_to = await positionOf(this.#ctx, this.#of);
    const items = await changesSince(this.#ctx, this.#of, { after, up_to }).catch((error: unknown) => {
      // What followed is no longer kept.
      if (error instanceof ParleyError && error.code.startsWith("WATERMARK")) return undefined;
      throw error;
    });
    if (!items) return this.#sendSnapshot();
    if (up_to <= this.#position && !even_none) return;
    const run = await runOf(this.#ctx, this.#of);
    const parts = pieces(items);
    for (const [at, part] of parts.entries())
      await this.#send(
        { type: "ui_state_updated", v: "ui_state_v1", seq: seqOf(up_to, at, parts), run, items: part },
        up_to,
      );
    this.#position = up_to;
  }

  async #sendSnapshot({ accepted = false } = {}): Promise<void> {
    const seq = await positionOf(this.#ctx, this.#of);
    const state = await snapshot(this.#ctx, this.#of);
    if (accepted) await this.#send({ type: "accepted", agent: this.#of.agent ?? null }, seq - 1);
    await this.#send({ type: "ui_state_snapshot", v: "ui_state_v1", seq, state }, seq);
    this.#position = seq;
  }

  /** Resolves once it has left this process. */
  #send(message: object, position: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#closed) return resolve();
      this.#socket?.send({ event_id: this.#nextId(position), ...message }, resolve);
    });
  }

  #nextId(position: number): number {
    this.#last_event_id = Math.max(this.#last_event_id + 1, position);
    return this.#last_event_id;
  }

  #fail(error: unknown): void {
    if (this.#closed) return;
    const code = error instanceof ParleyError ? error.code : "INTERNAL";
    this.#refuse(code, error instanceof ParleyError ? error.message : "Internal error.");
    this.#socket?.close(FAILED, code);
  }
}

/** The parts of one change have numbers of their own, the last of them its position. */
const seqOf = (up_to: number, at: number, parts: readonly unknown[]): number => up_to - (parts.length - 1 - at);

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    // It is told so.
    return undefined;
  }
}
