import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { Actor } from "../context.ts";
import type { Hub } from "../hub.ts";
import type { Connected } from "../route.ts";
import { MAX_BUFFERED } from "./outlet.ts";

const MOST_MESSAGE_BYTES = 64 * 1024;
/** Whoever has not answered one ping when the next is due is gone. */
const PING_MS = 15_000;
/** How long the other side has to say goodbye when the hub stops. */
const GOODBYE_MS = 2000;

/** Why a connection was ended, as the protocol has it. */
const GOING_AWAY = 1001;
const NOT_TEXT = 1003;
const UNWELCOME = 1008;
const FAILED = 1011;

interface Upgrade {
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
}

/** Every connection of this node that has become a WebSocket. */
export class WebSockets implements Disposable {
  readonly #hub: Hub;
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: MOST_MESSAGE_BYTES });
  readonly #alive = new WeakSet<WebSocket>();
  readonly #timer: NodeJS.Timeout;

  constructor(hub: Hub) {
    this.#hub = hub;
    this.#timer = setInterval(() => this.#ping(), PING_MS).unref();
  }

  open({ request, socket, head }: Upgrade, actor: Actor, connected: Connected): void {
    this.#server.handleUpgrade(request, socket, head, (ws) => {
      this.#alive.add(ws);
      const leave = this.#hub.streams.add({ kind: "socket", actor, close: (why) => end(ws, why === "stopping") });
      ws.on("pong", () => this.#alive.add(ws));
      ws.on("message", (data, binary) => this.#hear(ws, actor, connected, { data, binary }));
      ws.on("error", (error) => this.#hub.log.debug("a WebSocket failed", { error }));
      ws.on("close", () => {
        leave();
        connected.closed();
      });
      connected.opened({
        send: (message, sent) => {
          // What fails is told as the connection's end.
          ws.send(JSON.stringify(message), (error) => error ?? sent?.());
          if (ws.bufferedAmount > MAX_BUFFERED) ws.terminate();
        },
        close: (code, reason) => ws.close(code, reason),
      });
    });
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    for (const ws of this.#server.clients) ws.terminate();
  }

  /** What is said here counts as a call does. */
  #hear(ws: WebSocket, actor: Actor, connected: Connected, { data, binary }: { data: RawData; binary: boolean }): void {
    if (binary) return void ws.close(NOT_TEXT, "Send text.");
    if (this.#hub.limit.isSpent(actor.principal_id)) return void ws.close(UNWELCOME, "Too many messages.");
    this.#hub.limit.take(actor.principal_id);
    try {
      connected.message(String(data));
    } catch (error) {
      this.#hub.log.error("a message on a WebSocket failed", { error });
      ws.close(FAILED, "Internal error");
    }
  }

  #ping(): void {
    for (const ws of this.#server.clients) {
      if (!this.#alive.delete(ws)) ws.terminate();
      else ws.ping();
    }
  }
}

function end(ws: WebSocket, politely: boolean): void {
  if (!politely) return void ws.terminate();
  ws.close(GOING_AWAY, "The hub is stopping.");
  setTimeout(() => ws.terminate(), GOODBYE_MS).unref();
}
