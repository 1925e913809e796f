import type { IncomingMessage } from "node:http";
import type { Actor } from "../context.ts";
import { ParleyError } from "../errors.ts";
import { header } from "../header.ts";
import type { Hub } from "../hub.ts";
import { Id } from "../ids.ts";
import { answer } from "./answer.ts";
import type { Request, Route } from "./router.ts";

/** What `POST /api/messages/<id>/<action>` does to a copy. */
export const ACTIONS = ["read", "unread", "ack", "archive", "trash", "inbox", "snooze"] as const;

/** The address says these, so the body must not. */
const OF_THE_ADDRESS = ["id", "ids", "action"];

/**
 * Mail by the addresses of the seed. Each is a call of a tool. Whose mailbox it is about is said with `agent`, in the
 * query or in the body; without it, it is the caller's own. Looking marks nothing.
 */
export function mailRoutes(hub: Hub): Route[] {
  const door = new MailDoor(hub);
  return [
    { method: "GET", path: "/api/messages", handle: (request, actor) => door.list(request, actor) },
    { method: "POST", path: "/api/messages", handle: (request, actor) => door.send(request, actor) },
    { method: "GET", path: "/api/messages/*", handle: (request, actor) => door.look(request, actor) },
    { method: "POST", path: "/api/messages/*", handle: (request, actor) => door.change(request, actor) },
    { method: "GET", path: "/api/thread/*", handle: (request, actor) => door.thread(request, actor) },
  ];
}

class MailDoor {
  readonly #hub: Hub;

  constructor(hub: Hub) {
    this.#hub = hub;
  }

  async list({ request, response, query }: Request, actor: Actor): Promise<void> {
    await answer(response, await this.#call(request, actor, "mail_inbox", listed(query)));
  }

  async send({ request, response, query, body }: Request, actor: Actor): Promise<void> {
    await answer(response, await this.#call(request, actor, "mail_send", merged(query, body)), 201);
  }

  async look({ request, response, rest, query }: Request, actor: Actor): Promise<void> {
    const { id, action } = parts(rest);
    if (action === "") await answer(response, await this.#mail(request, actor, { id, query }));
    else if (action === "status")
      await answer(response, await this.#call(request, actor, "mail_status", { ...read(query), id }));
    else throw isAction(action) ? onlyPost() : nothingHere();
  }

  async change({ request, response, rest, query, body }: Request, actor: Actor): Promise<void> {
    const { id, action } = parts(rest);
    const args = merged(query, body);
    const twice = OF_THE_ADDRESS.find((name) => name in args);
    if (twice) throw new ParleyError("INVALID_ARGUMENT", `${twice}: the address says it already.`);
    if (action === "reply")
      await answer(response, await this.#call(request, actor, "mail_reply", { ...args, id }), 201);
    else if (isAction(action))
      await answer(response, await this.#call(request, actor, "mail_update", { ...args, id, action }));
    else if (action === "" || action === "status")
      throw new ParleyError("METHOD_NOT_ALLOWED", "This address takes GET.", { details: { allow: "GET" } });
    else throw nothingHere();
  }

  async thread({ request, response, rest, query }: Request, actor: Actor): Promise<void> {
    await answer(response, await this.#call(request, actor, "mail_thread", { ...read(query), id: rest }));
  }

  /** One mail without marking it: the last of its thread up to there. */
  async #mail(request: IncomingMessage, actor: Actor, { id, query }: { id: string; query: URLSearchParams }) {
    const before = Id.safeParse(id).success ? { before: String(Number(id) + 1) } : {};
    const found = await this.#call(request, actor, "mail_thread", { ...read(query), id, ...before, limit: 1 }).catch(
      (error: unknown) => {
        if (error instanceof ParleyError && error.code === "THREAD_NOT_FOUND") return {};
        throw error;
      },
    );
    const [mail] = "messages" in found && Array.isArray(found.messages) ? found.messages : [];
    if (mail?.id !== id) throw new ParleyError("MAIL_NOT_FOUND", `There is no mail ${id} for you here.`);
    return mail;
  }

  #call(request: IncomingMessage, actor: Actor, tool: string, args: object): Promise<object> {
    const options = { door: "http", idempotency_key: header(request, "idempotency-key") } as const;
    return this.#hub.call(actor, this.#hub.tools.find(tool), args, options);
  }
}

function parts(rest: string): { id: string; action: string } {
  const [id = "", action = "", ...more] = rest.split("/");
  if (more.length > 0) throw nothingHere();
  return { id, action };
}

const isAction = (action: string): boolean => ACTIONS.some((known) => known === action) || action === "reply";
const nothingHere = (): ParleyError => new ParleyError("NOT_FOUND", "There is nothing at this address.");
const onlyPost = (): ParleyError =>
  new ParleyError("METHOD_NOT_ALLOWED", "This address takes POST.", { details: { allow: "POST" } });

/** A query as arguments. What is no number and no yes or no stays a text, which the tool then refuses by its name. */
function read(query: URLSearchParams): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  for (const [name, text] of query) {
    if (Object.hasOwn(args, name)) throw new ParleyError("INVALID_ARGUMENT", `${name.slice(0, 80)}: given twice.`);
    if (name === "limit" && /^\d{1,9}$/.test(text)) args[name] = Number(text);
    else if (name === "unread" && /^(true|false|1|0)$/.test(text)) args[name] = text === "true" || text === "1";
    else Object.defineProperty(args, name, { value: text, enumerable: true, configurable: true });
  }
  return args;
}

/** Also in the words of other hubs: `state` for the folder, where `unread` is one, and `page_token` for `before`. */
function listed(query: URLSearchParams): Record<string, unknown> {
  const { state, page_token, ...args } = read(query);
  return {
    ...(state === "unread" ? { unread: true } : state !== undefined && { folder: state }),
    ...(page_token !== undefined && { before: page_token }),
    ...args,
  };
}

function merged(query: URLSearchParams, body: unknown): Record<string, unknown> {
  if (body !== undefined && (typeof body !== "object" || body === null || Array.isArray(body)))
    throw new ParleyError("INVALID_ARGUMENT", "The body is a JSON object.");
  const asked = read(query);
  const said: Record<string, unknown> = { ...body };
  const twice = Object.keys(asked).find((name) => name in said && said[name] !== asked[name]);
  if (twice) throw new ParleyError("INVALID_ARGUMENT", `${twice.slice(0, 80)}: address and body differ.`);
  return { ...asked, ...said };
}
