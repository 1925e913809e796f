import type { IncomingMessage, ServerResponse } from "node:http";
import type { Actor } from "../context.ts";
import { ParleyError } from "../errors.ts";

export interface Request {
  request: IncomingMessage;
  response: ServerResponse;
  /** What `*` stands for in the route's path. */
  rest: string;
  query: URLSearchParams;
  /** The JSON of a POST, read and parsed once for whichever door gets it. */
  body: unknown;
}

export interface Route {
  method: "GET" | "POST" | "DELETE" | "ANY";
  /** A path, or one that ends in `*`. */
  path: string;
  /** Served without asking who it is, or by asking in a way of its own. */
  open?: (request: Request) => Promise<void> | void;
  handle?: (request: Request, actor: Actor) => Promise<void>;
  /** What a refusal looks like here, where it is not the common error body. */
  errorBody?: (error: unknown) => object;
}

interface Match {
  route: Route;
  rest: string;
}

export class Router {
  readonly #exact = new Map<string, Route[]>();
  readonly #prefixes: { prefix: string; route: Route }[] = [];
  readonly #fallback: Route | undefined;

  /** `fallback` gets the whole path of what no other route has. */
  constructor(routes: readonly Route[], fallback?: Route) {
    this.#fallback = fallback;
    for (const route of routes)
      if (route.path.endsWith("*")) this.#prefixes.push({ prefix: route.path.slice(0, -1), route });
      else this.#exact.set(route.path, [...(this.#exact.get(route.path) ?? []), route]);
  }

  find(method: string, path: string): Match {
    const at = this.#at(path);
    const found = at.find(({ route }) => fits(route, method));
    if (found) return { route: found.route, rest: decode(found.rest) };
    if (at.length === 0 && this.#fallback && fits(this.#fallback, method))
      return { route: this.#fallback, rest: decode(path) };
    if (at.length === 0) throw new ParleyError("NOT_FOUND", "There is nothing at this address.");
    const allow = [...new Set(at.map(({ route }) => route.method))].join(", ");
    throw new ParleyError("METHOD_NOT_ALLOWED", `This address takes ${allow}.`, { details: { allow } });
  }

  #at(path: string): Match[] {
    const exact = this.#exact.get(path);
    if (exact) return exact.map((route) => ({ route, rest: "" }));
    return this.#prefixes
      .filter(({ prefix }) => path.length > prefix.length && path.startsWith(prefix))
      .map(({ prefix, route }) => ({ route, rest: path.slice(prefix.length) }));
  }
}

/** `HEAD` is answered where it costs nothing: by pages and checks that are open to everybody. */
const fits = (route: Route, method: string): boolean =>
  route.method === "ANY" || route.method === method || (method === "HEAD" && route.method === "GET" && !!route.open);

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw new ParleyError("INVALID_REQUEST", "The address is not percent-encoded UTF-8.", { cause });
  }
}
