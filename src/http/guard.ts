import type { IncomingMessage } from "node:http";
import type { Config } from "../config.ts";
import { ParleyError } from "../errors.ts";
import { header } from "../header.ts";
import type { Credential } from "../modules/identity/index.ts";
import { cookies } from "./cookie.ts";

/** What kind of program it is that asks, as that says itself. */
const CLIENT_HEADER = "x-parley-client";

/** Methods that change nothing. */
const SAFE = ["GET", "HEAD"];

/**
 * Stands in front of every door. A page of another site that reaches this address, by its
 * own name made to point here or from the reader's browser, is stopped by Host and Origin.
 */
export class Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #cookie: string;

  constructor({ host, allowed_hosts }: Pick<Config, "host" | "allowed_hosts">, port: number, cookie: string) {
    const names = ["127.0.0.1", "localhost", "[::1]", host.includes(":") ? `[${host}]` : host.toLowerCase()];
    const local = names.map((name) => `${name}:${port}`);
    if (port === 80) local.push(...names);
    const further = allowed_hosts.map((name) => name.toLowerCase());
    this.#hosts = new Set([...local, ...further]);
    // Only under a further name can there be somebody in front who speaks TLS.
    this.#origins = new Set([
      ...[...local, ...further].map((name) => `http://${name}`),
      ...further.map((name) => `https://${name}`),
    ]);
    this.#cookie = cookie;
  }

  check({ headers }: IncomingMessage): void {
    if (!this.#hosts.has((headers.host ?? "").toLowerCase()))
      throw new ParleyError("HOST_DENIED", "The hub does not answer to this Host. PARLEY_ALLOWED_HOSTS adds names.");
    if (headers.origin !== undefined && !this.#origins.has(headers.origin.toLowerCase()))
      throw new ParleyError("ORIGIN_DENIED", "Requests from this Origin are refused.");
  }

  /** Who the request says it is. Never from the query string: those end up in logs and histories. */
  credential(request: IncomingMessage): Credential {
    return {
      token: this.#token(request),
      space_id: header(request, "x-session-id"),
      caller_agent: header(request, "x-caller-agent"),
      via: this.#via(request),
    };
  }

  /** Of what comes with an `Authorization` nobody knows more than it says. */
  #via(request: IncomingMessage): "page" | "cli" | undefined {
    if (header(request, "authorization") === undefined) return this.session(request) === undefined ? undefined : "page";
    return header(request, CLIENT_HEADER) === "cli" ? "cli" : undefined;
  }

  /** Where there is an `Authorization` it alone counts. */
  #token(request: IncomingMessage): string | undefined {
    const authorization = header(request, "authorization");
    if (authorization !== undefined) return /^Bearer ([A-Za-z0-9_]{1,200})$/i.exec(authorization)?.[1];
    const held = this.session(request);
    if (held !== undefined) this.checkPage(request);
    return held;
  }

  /** The token in the hub's own cookie, by which a browser is signed in. It proves nothing before `checkPage`. */
  session(request: IncomingMessage): string | undefined {
    const [held, ...more] = cookies(request, this.#cookie);
    // Any server on this machine can give the browser a second one, which would make it somebody else.
    if (more.length > 0) throw new ParleyError("UNAUTHENTICATED", "There are two cookies of this hub. Remove one.");
    return held;
  }

  /**
   * A browser sends the cookie whoever made it ask. So with a cookie a request has to come from a page of our own, as
   * only the browser itself can say; and to be one that no form of another page could send.
   */
  checkPage(request: IncomingMessage): void {
    const { method = "", headers } = request;
    if (!isOfOwnPage(headers, SAFE.includes(method)))
      throw new ParleyError("ORIGIN_DENIED", "With a cookie, requests are taken from the hub's own page alone.");
    if (method === "POST" && !/^application\/json *(;|$)/i.test(header(request, "content-type") ?? ""))
      throw new ParleyError("UNSUPPORTED_MEDIA_TYPE", "With a cookie the body has to be application/json.");
  }
}

function isOfOwnPage(
  { host = "", origin, "sec-fetch-site": site }: IncomingMessage["headers"],
  safe: boolean,
): boolean {
  if (origin !== undefined) return origin.toLowerCase().replace(/^https?:\/\//, "") === host.toLowerCase();
  // A page sends no Origin along when it reads from where it came from. `none` is what the reader typed.
  return safe && (site === "same-origin" || site === "none");
}
