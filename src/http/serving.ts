import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import type { Actor } from "../context.ts";
import { errorBody, isAboutSpace, ParleyError } from "../errors.ts";
import { header } from "../header.ts";
import type { Hub } from "../hub.ts";
import { costOf } from "../rate-limit.ts";
import type { Connected } from "../route.ts";
import { checkText } from "../text.ts";
import { AddressLimit } from "./address-limit.ts";
import { answerError } from "./answer.ts";
import { readJson } from "./body.ts";
import { MOST_BODY } from "./body-limit.ts";
import { checkStreams } from "./events.ts";
import { FairTurns } from "./fair-turns.ts";
import type { Guard } from "./guard.ts";
import { LargeBodies } from "./large-bodies.ts";
import { type AnswerPace, KNOWN, OPEN, Pacing, STRANGERS, sourceOf } from "./pacing.ts";
import type { Request, Route, Router } from "./router.ts";
import { Unread } from "./unread.ts";
import type { WebSockets } from "./websockets.ts";

interface Doors {
  hub: Hub;
  guard: Guard;
  router: Router;
  sockets: WebSockets;
  stopping: () => boolean;
}

/** What is known of a request so far. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  route?: Route;
  actor?: Actor;
  body?: unknown;
  /** It was held, or need not be: what is asked for counts once. */
  counted?: boolean;
  /** Refused by the limit of what it is for, whoever asks. */
  limited_as?: string;
  /** Of what has a large body. */
  turn?: Disposable | undefined;
}

/** Refusals by which somebody finds out what they may not know, or may not do. */
const DENIED: readonly string[] = ["unauthenticated", "forbidden", "limited"];

/** Takes a request through guard, router and body to its door, and answers those that do not get there. */
export class Serving {
  readonly #doors: Doors;
  readonly #refusals = new Pacing(KNOWN);
  readonly #strangers = new Pacing(STRANGERS);
  readonly #open = new Pacing(OPEN);
  readonly #unread = new Unread();
  readonly #large = new LargeBodies();
  readonly #addresses: AddressLimit;
  readonly #turns: FairTurns;

  constructor(doors: Doors) {
    this.#doors = doors;
    const { config, metrics } = doors.hub;
    this.#turns = new FairTurns(config.rate_limit);
    this.#addresses = new AddressLimit(config.webhook_rate_limit, () => metrics.limited.inc());
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange: Exchange = { request, response };
    try {
      await this.#serve(exchange);
    } catch (error) {
      await this.#refuse(exchange, error);
    } finally {
      exchange.turn?.[Symbol.dispose]();
      this.#doors.hub.metrics.answered(exchange.route?.path ?? "unknown", response.statusCode);
    }
  }

  /** A request that asks to become a WebSocket, which it does once all is checked that is checked of any other. */
  async upgrade(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    // Node has let go of the connection. What refuses a request writes to a response.
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    response.shouldKeepAlive = false;
    response.once("finish", () => socket.destroySoon());
    const failed = (): void => void socket.destroy();
    socket.on("error", failed);
    const exchange: Exchange = { request, response };
    try {
      const { actor, connected } = await this.#connect(exchange);
      response.detachSocket(socket);
      socket.off("error", failed);
      if (socket.destroyed) connected.closed();
      else this.#doors.sockets.open({ request, socket, head }, actor, connected);
    } catch (error) {
      await this.#refuse(exchange, error);
    } finally {
      this.#doors.hub.metrics.answered(
        exchange.route?.path ?? "unknown",
        response.headersSent ? response.statusCode : 101,
      );
    }
  }

  async #connect(exchange: Exchange): Promise<{ actor: Actor; connected: Connected }> {
    const { hub, guard, router, stopping } = this.#doors;
    const { request, response } = exchange;
    guard.check(request);
    if (stopping()) throw new ParleyError("SHUTTING_DOWN", "The hub is stopping. Try again in a moment.");
    const { path, query } = split(request.url ?? "/");
    const { route, params } = router.find("GET", path);
    exchange.route = route;
    const context: Request = { request, response, params, query: parsedQuery(query), body: undefined };
    const actor = await this.#authenticate(context, route);
    exchange.actor = actor;
    hub.limit.take(actor.principal_id);
    checkStreams(hub, actor);
    if (!route.connect) throw new ParleyError("NOT_FOUND", "There is nothing at this address.");
    return { actor, connected: await route.connect(context, actor) };
  }

  async #serve(exchange: Exchange): Promise<void> {
    const { hub, guard, router, stopping } = this.#doors;
    const { request, response } = exchange;
    guard.check(request);
    const { path, query } = split(request.url ?? "/");
    const { route, params } = router.find(request.method ?? "", path);
    exchange.route = route;
    const context: Request = { request, response, params, query: parsedQuery(query), body: undefined };
    if (route.open) return await this.#serveLimited(exchange, context, () => route.open?.(context));
    if (stopping()) throw new ParleyError("SHUTTING_DOWN", "The hub is stopping. Try again in a moment.");
    const actor = await this.#identify(context, route);
    exchange.actor = actor;
    await this.#turns.begin(actor.principal_id);
    if (response.destroyed || !(await this.#admit(exchange, actor))) return;
    const written = request.socket.bytesWritten;
    const known = Object.assign(exchange, { route, actor });
    await route.handle?.(context, request.method === "POST" ? await this.#readBody(context, known) : actor);
    hub.limit.spend(actor.principal_id, costOf(request.socket.bytesWritten - written));
    this.#unread.add(actor.principal_id, response);
  }

  /** What is refused for too many of its kind takes nothing from what its sender may ask for elsewhere, and is not read. */
  async #serveLimited(exchange: Exchange, { params }: Request, open: () => Promise<void> | void): Promise<void> {
    const { request, route } = exchange;
    if (!route?.limited) return this.#serveOpen(exchange, open);
    const source = sourceOf(request.socket.remoteAddress);
    const name = route.limited.as(params);
    const refusal = this.#addresses.refusal(name, source);
    if (refusal) {
      exchange.limited_as = `${source} ${name}`;
      throw refusal;
    }
    const read = request.socket.bytesRead;
    const length = Math.min(announced(request), route.limited.most_bytes);
    this.#addresses.spend(name, source, 1 + costOf(length));
    await this.#serveOpen(exchange, open);
    // One that did not say how long it is.
    if (length === 0) this.#addresses.spend(name, source, costOf(request.socket.bytesRead - read));
  }

  /** For nobody in particular, and so by where they are. Whoever has a credential is not held up by others at their address. */
  async #serveOpen(exchange: Exchange, open: () => Promise<void> | void): Promise<void> {
    const { request, response, route } = exchange;
    const source = sourceOf(request.socket.remoteAddress);
    const written = request.socket.bytesWritten;
    // A code to sign in with is looked at at once, whatever others try meanwhile.
    if (!route?.unpaced && !(this.#open.isSpent(source) && (await this.#isKnown(exchange)))) {
      exchange.counted = true;
      if ((await this.#open.hold(source, response)) === "never") response.destroy();
      if (response.destroyed) return;
    }
    await open();
    this.#open.spend(source, costOf(request.socket.bytesWritten - written));
  }

  /** Somebody with a credential pays for what they ask for as for any call. */
  async #isKnown(exchange: Exchange): Promise<boolean> {
    const { hub, guard } = this.#doors;
    try {
      exchange.actor = await hub.credentials.authenticate(guard.credential(exchange.request));
    } catch (error) {
      if (error instanceof ParleyError) return false;
      throw error;
    }
    hub.limit.take(exchange.actor.principal_id);
    return true;
  }

  /** What is going to be refused costs least before its body is read. False: nobody is there to be told. */
  async #admit(exchange: Exchange, actor: Actor): Promise<boolean> {
    const { hub } = this.#doors;
    const { request, response } = exchange;
    const { principal_id, name: agent } = actor;
    this.#unread.check(principal_id);
    const spent = [hub.limit, ...(request.method === "POST" ? [hub.bytes] : [])].find((l) => l.isSpent(principal_id));
    if (!spent) return true;
    exchange.counted = true;
    // Not to read a large body costs the connection it is on, and whatever of it has come already.
    const told = await this.#refusals.hold(principal_id, response, 1 + costOf(announced(request)));
    if (told === "never") response.destroy();
    if (response.destroyed) return false;
    // A call is refused by its door, which has words of its own for it.
    if ((told === "at once" && spent === hub.limit) || !spent.isSpent(principal_id)) return true;
    const { remoteAddress: address } = request.socket;
    hub.audit.event({ op: "request", door: "http", principal: principal_id, agent, address, result: "RATE_LIMITED" });
    throw spent.refusal(principal_id);
  }

  /** What is large costs as much as several calls, is paid for before it is read, and waits for its turn to be parsed. */
  async #readBody(context: Request, exchange: Exchange & Required<Pick<Exchange, "route" | "actor">>): Promise<Actor> {
    const { hub } = this.#doors;
    const { request, route, actor } = exchange;
    const { principal_id } = actor;
    const limit = route.body?.(context) ?? MOST_BODY;
    const pay = (bytes: number): void => {
      hub.bytes.take(principal_id, undefined, bytes);
      hub.limit.take(principal_id, undefined, costOf(bytes));
    };
    try {
      // What says how much it is and cannot be paid for is not read at all. What is too large is refused for that.
      const length = announced(request);
      const paid = length <= limit.bytes ? length : 0;
      pay(paid);
      context.body = await readJson(request, limit, async (bytes) => {
        pay(bytes - paid);
        exchange.turn = await this.#large.begin(principal_id, bytes);
      });
      // To parse it is one step, to store it the next.
      if (exchange.turn) await setImmediate();
    } catch (error) {
      // No tool will be called that would count.
      hub.limit.spend(principal_id, 1);
      throw error;
    }
    exchange.body = context.body;
    // A body may take a minute to arrive, and the token may be revoked meanwhile.
    return await (route.discovers?.(context.body)
      ? this.#identify(context, route)
      : this.#authenticate(context, route));
  }

  /** Where something may be asked that is the same in every space, who asks is known before the space is. */
  async #identify(context: Request, route: Route): Promise<Actor> {
    const { hub, guard } = this.#doors;
    try {
      return await this.#authenticate(context, route);
    } catch (error) {
      if (!route.discovers || context.request.method !== "POST" || !isAboutSpace(error)) throw error;
      return await hub.credentials.identify(guard.credential(context.request).token);
    }
  }

  /** In the space that the address names, where it names one. */
  async #authenticate({ request, params, query }: Request, route: Route): Promise<Actor> {
    const { hub, guard } = this.#doors;
    const { space, even_ended, connect, nowhere } = route;
    const credential = guard.credential(request);
    if (connect && query.has("space")) credential.space_id = query.get("space") ?? undefined;
    if (space === undefined)
      return await hub.credentials.authenticate(credential, { named: route.named?.(params), nowhere });
    try {
      return await hub.credentials.authenticate({ ...credential, space_id: params[space] });
    } catch (error) {
      if (!even_ended || !(error instanceof ParleyError && error.code === "SESSION_EXPIRED")) throw error;
      return await hub.credentials.authenticate(credential).catch(() => Promise.reject(error));
    }
  }

  async #refuse(exchange: Exchange, error: unknown): Promise<void> {
    const { hub } = this.#doors;
    const { request, response, route, actor, body } = exchange;
    if (!(error instanceof ParleyError)) hub.log.error("a request failed", { route: route?.path, error });
    else {
      const denied = DENIED.includes(error.kind);
      const { remoteAddress: address } = request.socket;
      if (denied && error.kind !== "limited") hub.metrics.denied.inc({ code: error.code });
      // What a tool refused is noted with the call.
      if (denied && !actor) hub.audit.event({ op: "request", door: "http", address, result: error.code });
      if ((await this.#hold(exchange, denied)) === "never") return void response.destroy();
    }
    // Whoever is turned away before the door is told so in the same words at every door, unless it is for the space.
    const isDoors = actor !== undefined || (route?.discovers !== undefined && isAboutSpace(error));
    const inWords = (isDoors && route?.errorBody) || errorBody;
    answerError(response, error, inWords(error, body));
  }

  /** A stranger's guess counts though the request has: of those there are to be far fewer. */
  async #hold({ request, response, actor, counted, limited_as }: Exchange, denied: boolean): Promise<AnswerPace> {
    if (limited_as !== undefined) return this.#refusals.hold(limited_as, response, 1 + costOf(announced(request)));
    if (actor) return denied && !counted ? this.#refusals.hold(actor.principal_id, response) : "at once";
    const source = sourceOf(request.socket.remoteAddress);
    if (denied) return this.#strangers.hold(source, response);
    return counted ? "at once" : this.#open.hold(source, response);
  }
}

function parsedQuery(text: string): URLSearchParams {
  const query = new URLSearchParams(text);
  for (const [name, value] of query) checkText({ [name]: value });
  return query;
}

/** Bytes of its body, by its own words. */
const announced = (request: IncomingMessage): number => Number(header(request, "content-length") ?? 0);

function split(url: string): { path: string; query: string } {
  const mark = url.indexOf("?");
  return mark < 0 ? { path: url, query: "" } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}
