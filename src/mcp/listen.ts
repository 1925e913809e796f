import type { ServerResponse } from "node:http";
import { type JSONRPCRequest, SERVER_INFO_META_KEY, SUBSCRIPTION_ID_META_KEY } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Actor } from "../context.ts";
import { ParleyError } from "../errors.ts";
import { Outlet } from "../http/outlet.ts";
import { formatId } from "../ids.ts";
import { fitTo } from "../issues.ts";
import type { OpenStream } from "../streams.ts";
import { cut } from "../text.ts";
import { bareHint } from "./hints.ts";
import { SCRATCHPAD, Wish } from "./notifications.ts";
import { Notified } from "./notified.ts";
import type { Parts, Who } from "./parts.ts";
import type { Quota } from "./quota.ts";
import { Subscriptions, tooManyUris } from "./subscriptions.ts";
import { sseFrame } from "./wire.ts";

/** Who listens, and what it was told last. */
export interface Listener extends Who {
  last_event_id: string | undefined;
}

export interface ListenParts extends Parts {
  quota: Quota;
}

const Filter = z.object({
  toolsListChanged: z.boolean().optional(),
  promptsListChanged: z.boolean().optional(),
  resourcesListChanged: z.boolean().optional(),
  resourceSubscriptions: z.array(z.string()).default([]),
  [SCRATCHPAD]: Wish.extend({ after: z.string().optional() }).optional(),
});
export type Filter = z.output<typeof Filter>;

/**
 * `subscriptions/listen`: an answer that stays open and says what changed. Ours and not the SDK's, which asks nobody
 * whether a URI may be followed and keeps what a stalled client does not read.
 *
 * A URI that is unknown or somebody else's is left out of what is acknowledged, as the specification has it for
 * everything a server does not honour; the two look the same.
 */
export async function listen(
  parts: ListenParts,
  response: ServerResponse,
  request: JSONRPCRequest,
  who: Listener,
): Promise<void> {
  const { hub, quota, limits } = parts;
  let wanted: Filter;
  try {
    wanted = readFilter(request, limits.uris);
    if (!quota.take(who.actor.principal_id)) throw tooManyStreams(limits.streams);
  } catch (error) {
    // What is followed counts by itself. To be refused again and again costs the hub as much.
    hub.limit.take(who.actor.principal_id);
    throw error;
  }
  await new ListenStream(parts, response, request, who).follow(wanted);
}

/** Of what is wrong with a filter, whose words may be as long as the filter. */
const MOST_SAID = 300;

function readFilter(request: JSONRPCRequest, most: number): Filter {
  const fitted = fitTo(Filter, request.params?.notifications);
  if ("wrong" in fitted)
    throw new ParleyError(
      "INVALID_ARGUMENT",
      `subscriptions/listen: params.notifications: ${cut(fitted.wrong, MOST_SAID)}.`,
    );
  const uris = [...new Set(fitted.data.resourceSubscriptions)];
  if (uris.length > most) throw tooManyUris(most);
  return { ...fitted.data, resourceSubscriptions: uris };
}

const tooManyStreams = (most: number): ParleyError =>
  new ParleyError("TOO_MANY_SUBSCRIPTIONS", `You already hold ${most} listen streams open. Close one first.`);

class ListenStream implements OpenStream {
  readonly kind = "listen";
  readonly actor: Actor;
  readonly #parts: ListenParts;
  readonly #id: JSONRPCRequest["id"];
  readonly #outlet: Outlet;
  readonly #subscriptions: Subscriptions;
  readonly #notified: Notified;
  readonly #last_event_id: string | undefined;
  #stopFixtures: (() => void) | undefined;

  constructor(parts: ListenParts, response: ServerResponse, request: JSONRPCRequest, who: Listener) {
    const { hub, hints, outlets, limits } = parts;
    this.actor = who.actor;
    this.#parts = parts;
    this.#id = request.id;
    const stamp = `"${SUBSCRIPTION_ID_META_KEY}":${JSON.stringify(request.id)}`;
    const outlet = new Outlet(response, outlets);
    this.#outlet = outlet;
    this.#subscriptions = new Subscriptions({
      hub,
      hints,
      most: limits.uris,
      tell: (uri, hint) => outlet.hint(uri, hint.frame(stamp), () => bareHint(uri).frame(stamp)),
    });
    const meta = (event_id: string) => ({ [SUBSCRIPTION_ID_META_KEY]: request.id, "parley/event_id": event_id });
    this.#notified = new Notified({
      hub,
      notifications: parts.notifications,
      seats: parts.seats,
      actor: who.actor,
      meta,
    });
    this.#last_event_id = who.last_event_id;
    // Known to the hub before anything is awaited: a token revoked meanwhile ends this stream too.
    const forget = hub.streams.add(this);
    outlet.onclose = (why) => {
      forget();
      this.#release();
      if (why === "dropped") hub.metrics.dropped.inc({ reason: "slow" });
    };
  }

  /** Listens first and acknowledges then, so that nothing falls in between. */
  async follow(wanted: Filter): Promise<void> {
    const uris = await Promise.all(wanted.resourceSubscriptions.map((uri) => this.#follow(uri)));
    const told = await this.#askFor(wanted[SCRATCHPAD]);
    if (this.#outlet.closed) return;
    const followed = uris.filter((uri) => uri !== undefined);
    const honoured = {
      ...this.#parts.fixtures?.honoured(wanted),
      ...(followed.length > 0 && { resourceSubscriptions: followed }),
      ...(told && { [SCRATCHPAD]: told }),
    };
    this.#stopFixtures = this.#parts.fixtures?.onListChanged(honoured, (method) =>
      this.#outlet.hint(method, this.#notification(method, {}), () => this.#notification(method, {})),
    );
    const method = "notifications/subscriptions/acknowledged";
    this.#outlet.open({}, this.#notification(method, { notifications: honoured }));
    if (Object.keys(honoured).length === 0) this.#outlet.end(this.#result());
    if (told) await this.#notified.attach(this.#outlet, wanted[SCRATCHPAD]?.after ?? this.#last_event_id);
  }

  close(why: Parameters<OpenStream["close"]>[0]): void {
    if (why === "stopping" && this.#outlet.opened) this.#outlet.end(this.#result());
    else this.#outlet.destroy();
  }

  /** The URI, or nothing where it is not there or not ours. */
  async #follow(uri: string): Promise<string | undefined> {
    try {
      await this.#subscriptions.add(this.actor, uri);
      return uri;
    } catch (error) {
      if (error instanceof ParleyError && (error.kind === "not_found" || error.kind === "forbidden")) return undefined;
      throw error;
    }
  }

  /** What of it will be told from here on, and where that is. */
  async #askFor(wish: Filter[typeof SCRATCHPAD]): Promise<(Wish & { position: string }) | undefined> {
    if (!wish) return undefined;
    const chosen = this.#parts.notifications.choose(this.actor, wish);
    await this.#notified.subscribe(chosen);
    const { space_id: session_id } = this.actor;
    return { session_id, events: chosen.map(({ name }) => name), position: formatId(this.#notified.position) };
  }

  #notification(method: string, params: object): string {
    return sseFrame({ jsonrpc: "2.0", method, params: { ...params, _meta: { [SUBSCRIPTION_ID_META_KEY]: this.#id } } });
  }

  /** How the specification has a server say that it ends the stream of its own accord. */
  #result(): string {
    const server = { name: "parley", version: this.#parts.hub.version };
    const _meta = { [SUBSCRIPTION_ID_META_KEY]: this.#id, [SERVER_INFO_META_KEY]: server };
    return sseFrame({ jsonrpc: "2.0", id: this.#id, result: { resultType: "complete", _meta } });
  }

  #release(): void {
    this.#subscriptions[Symbol.dispose]();
    this.#notified[Symbol.dispose]();
    this.#stopFixtures?.();
    this.#parts.quota.giveBack(this.actor.principal_id);
  }
}
