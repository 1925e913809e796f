import type { IncomingMessage, ServerResponse } from "node:http";
import type { Actor } from "../context.ts";

export interface Request {
  request: IncomingMessage;
  response: ServerResponse;
  /** What `*` stands for in the route's path. */
  rest: string;
  query: URLSearchParams;
}

export interface Route {
  method: "GET" | "POST" | "DELETE" | "ANY";
  /** A path, or one that ends in `*`. */
  path: string;
  /** Open routes are served without a credential. */
  open?: (request: Request) => Promise<void> | void;
  handle?: (request: Request, actor: Actor) => Promise<void>;
}

export class Router {
  readonly #exact = new Map<string, Route[]>();
  readonly #prefixes: { prefix: string; route: Route }[] = [];

  constructor(routes: readonly Route[]) {
    for (const route of routes)
      if (route.path.endsWith("*")) this.#prefixes.push({ prefix: route.path.slice(0, -1), route });
      else this.#exact.set(route.path, [...(this.#exact.get(route.path) ?? []), route]);
  }

  /** `method` tells apart a path that exists, but not for this method. */
  find(method: string, path: string): { route: Route; rest: string } | "unknown" | "method" {
    const fits = (route: Route): boolean => route.method === "ANY" || route.method === method;
    const routes = this.#exact.get(path);
    const exact = routes?.find(fits);
    if (exact) return { route: exact, rest: "" };
    const matching = this.#prefixes.filter(({ prefix }) => path.startsWith(prefix) && path.length > prefix.length);
    const found = matching.find(({ route }) => fits(route));
    if (found) return { route: found.route, rest: path.slice(found.prefix.length) };
    return routes || matching.length > 0 ? "method" : "unknown";
  }
}
