import type { Server } from "@modelcontextprotocol/server";
import type { Outlet } from "../http/outlet.ts";
import type { OpenStream } from "../streams.ts";
import { directCall } from "./calling.ts";
import { bareHint, type Hint } from "./hints.ts";
import { Notified } from "./notified.ts";
import type { Parts, Who } from "./parts.ts";
import { buildServer } from "./server.ts";
import { Subscriptions } from "./subscriptions.ts";
import { Switchboard } from "./switchboard.ts";
import { sseFrame } from "./wire.ts";

/**
 * A client of the revisions up to 2025-11-25: what it negotiated, what it subscribed to and the
 * stream on which it is told. Hints that find no open stream are remembered by URI until there is one.
 */
export class Session implements OpenStream {
  readonly id: string;
  readonly kind: "session" | "sse";
  readonly who: Who;
  readonly switchboard: Switchboard;
  /** Told once. */
  onclose: (() => void) | undefined;

  readonly #server: Server;
  readonly #subscriptions: Subscriptions;
  readonly #notified: Notified;
  readonly #missed = new Set<string>();
  #stream: Outlet | undefined;
  #used_at = performance.now();
  #closed = false;

  constructor(parts: Parts, { id, kind, who }: { id: string; kind: "session" | "sse"; who: Who }) {
    const { hub, hints, limits, catalogue, fixtures, notifications, seats } = parts;
    this.id = id;
    this.kind = kind;
    this.who = who;
    // Fixtures put theirs in front of what the SDK's server does with a call.
    this.switchboard = new Switchboard({ era: "legacy" }, fixtures ? undefined : (request) => directCall(hub, request));
    const tell = (uri: string, hint: Hint): void => this.#tell(uri, hint);
    this.#subscriptions = new Subscriptions({ hub, hints, most: limits.uris, tell });
    const leave = (): void => this.close("expired");
    this.#notified = new Notified({ hub, notifications, seats, actor: who.actor, leave });
    this.#server = buildServer({
      hub,
      catalogue,
      fixtures,
      subscriptions: this.#subscriptions,
      notifications,
      notified: this.#notified,
      callerOf: (ctx) => this.switchboard.caller(ctx.mcpReq.id),
    });
    this.switchboard.onunrelated = (message) => this.#stream?.write(sseFrame(message));
  }

  get actor(): Who["actor"] {
    return this.who.actor;
  }

  get stream(): Outlet | undefined {
    return this.#stream;
  }

  /** How long nobody has used it, in milliseconds. */
  get idle(): number {
    return this.#stream || this.switchboard.busy ? 0 : performance.now() - this.#used_at;
  }

  connect(): Promise<void> {
    return this.#server.connect(this.switchboard);
  }

  touch(): void {
    this.#used_at = performance.now();
  }

  /** Makes `outlet`, which is open, the stream on which this client is told. */
  attach(outlet: Outlet, last_event_id?: string): void {
    this.#stream = outlet;
    for (const uri of this.#missed) if (this.#subscriptions.has(uri)) outlet.write(bareHint(uri).frame(""));
    this.#missed.clear();
    void this.#notified.attach(outlet, last_event_id);
  }

  detach(outlet: Outlet): void {
    if (this.#stream !== outlet) return;
    this.#stream = undefined;
    this.#notified.detach(outlet);
    this.touch();
  }

  close(why: Parameters<OpenStream["close"]>[0] | "deleted"): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
    this.#subscriptions[Symbol.dispose]();
    this.#notified[Symbol.dispose]();
    // Requests under way were allowed when they came, and are still answered.
    if (why === "stopping" || why === "deleted") this.switchboard.whenIdle(() => this.#stream?.end());
    else this.#stream?.destroy();
  }

  #tell(uri: string, hint: Hint): void {
    if (this.#stream) this.#stream.hint(uri, hint.frame(""), () => bareHint(uri).frame(""));
    else this.#missed.add(uri);
  }
}
