import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";
import type { Actor } from "../context.ts";
import { ParleyError } from "../errors.ts";
import type { Connected } from "../route.ts";
import type { BodyLimit } from "./body-limit.ts";

export interface Request {
  request: IncomingMessage;
  response: ServerResponse;
  /** By the names in the route's path. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** The JSON of a POST, read and parsed once for whichever door gets it. */
  body: unknown;
}

export interface Route {
  method: "GET" | "POST" | "DELETE" | "ANY";
  /** Parts that begin with a colon are parameters, which stand for one part each. */
  path: string;
  /** Missing where the contract describes it in another way: MCP, the page, and each tool by its name. */
  about?: About;
  /** Served without asking who it is, or by asking in a way of its own. */
  open?: (request: Request) => Promise<void> | void;
  /** Open, and held by nothing that others at the same address ask for. */
  unpaced?: true;
  /** Open, with a limit of its own for whatever of that name it is asked for. `most_bytes` are read of a body. */
  limited?: { as: (params: Request["params"]) => string; most_bytes: number } | undefined;
  handle?: (request: Request, actor: Actor) => Promise<void>;
  /** What speaks when it has become a WebSocket. Throws for who may not. */
  connect?: (request: Request, actor: Actor) => Promise<Connected>;
  /** The parameter that names the space, instead of a header. */
  space?: string | undefined;
  /** Who may not enter that space since it has ended is let in as if the address named none. */
  even_ended?: true | undefined;
  /** Whether the header has to say in which space. */
  named?: ((params: Request["params"]) => boolean) | undefined;
  /** Whoever may use several spaces and names none is let in, and is nowhere. */
  nowhere?: true | undefined;
  /** Whether what a POST asks for is the same in every space: it is answered whatever is said of one. */
  discovers?: (body: unknown) => boolean;
  /** How large a POST may be here, where not as large as any. Throws for what is at no address. */
  body?: (request: Request) => BodyLimit;
  /** What a refusal looks like here, where it is not the common error body. */
  errorBody?: (error: unknown, body: unknown) => object;
}

/** A route as the OpenAPI document and the reference describe it. */
export interface About {
  summary: string;
  /** Whose arguments it takes and whose result it gives. */
  tool?: string;
  /** Of these the address itself says, or nobody can. */
  given?: readonly string[];
  /** What it takes in the query or the body, where it calls no tool. */
  query?: Readonly<Record<string, string>>;
  body?: z.ZodType;
  response?: z.ZodType;
  /** Anything but JSON. */
  media?: string;
  status?: number;
  /** What it gives with 202, where it may not be over when the request is. */
  waiting?: z.ZodType;
}

interface Match {
  route: Route;
  params: Record<string, string>;
}

interface Pattern {
  route: Route;
  parts: readonly string[];
}

export class Router {
  readonly #exact = new Map<string, Route[]>();
  /** By how many parts they have. */
  readonly #patterns = new Map<number, Pattern[]>();
  readonly #fallback: Route | undefined;

  /** `fallback` gets what no other route has, with the whole path as its parameter. */
  constructor(routes: readonly Route[], fallback?: Route) {
    this.#fallback = fallback;
    for (const route of routes) {
      const parts = route.path.split("/");
      if (!route.path.includes("/:")) this.#exact.set(route.path, [...(this.#exact.get(route.path) ?? []), route]);
      else this.#patterns.set(parts.length, [...(this.#patterns.get(parts.length) ?? []), { route, parts }]);
    }
  }

  find(method: string, path: string): Match {
    const at = this.#at(path);
    const found = at.find(({ route }) => fits(route, method));
    if (found) return found;
    if (at.length === 0 && this.#fallback && fits(this.#fallback, method))
      return { route: this.#fallback, params: { path: decode(path) } };
    if (at.length === 0) throw new ParleyError("NOT_FOUND", "There is nothing at this address.");
    const allow = [...new Set(at.map(({ route }) => route.method))].join(", ");
    throw new ParleyError("METHOD_NOT_ALLOWED", `This address takes ${allow}.`, { details: { allow } });
  }

  /** Whether there is a WebSocket. Anything else that asks for one is answered as if it had not. */
  isSocket(path: string): boolean {
    return this.#at(path).some(({ route }) => route.connect);
  }

  #at(path: string): Match[] {
    const exact = this.#exact.get(path);
    if (exact) return exact.map((route) => ({ route, params: {} }));
    const parts = path.split("/");
    const found = (this.#patterns.get(parts.length) ?? []).filter((pattern) => isMatched(pattern.parts, parts));
    return found.map((pattern) => ({ route: pattern.route, params: paramsIn(pattern.parts, parts) }));
  }
}

/** The names of the parameters in a path. */
export const paramsOf = (path: string): string[] =>
  path.split("/").flatMap((part) => (part.startsWith(":") ? [part.slice(1)] : []));

const isMatched = (pattern: readonly string[], parts: readonly string[]): boolean =>
  pattern.every((part, index) => (part.startsWith(":") ? parts[index] !== "" : part === parts[index]));

/** What the parameters of a path stand for in another that fits it. */
function paramsIn(pattern: readonly string[], parts: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries())
    if (part.startsWith(":")) params[part.slice(1)] = decode(parts[index] ?? "");
  return params;
}

/** `HEAD` is answered where it costs nothing: by pages and checks that are open to everybody. */
const fits = (route: Route, method: string): boolean =>
  route.method === "ANY" || route.method === method || (method === "HEAD" && route.method === "GET" && !!route.open);

function decode(part: string): string {
  let text: string;
  try {
    text = decodeURIComponent(part);
  } catch (cause) {
    throw new ParleyError("INVALID_REQUEST", "The address is not percent-encoded UTF-8.", { cause });
  }
  // No name has one, and PostgreSQL cannot even look for it.
  if (text.includes("\0")) throw new ParleyError("NOT_FOUND", "There is nothing at this address.");
  return text;
}
