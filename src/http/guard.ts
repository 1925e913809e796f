import type { IncomingMessage } from "node:http";
import type { Config } from "../config.ts";
import { ParleyError } from "../errors.ts";
import { header } from "../header.ts";
import type { Credential } from "../modules/identity/index.ts";

/**
 * Stands in front of every door. A page of another site that reaches this address, by its
 * own name made to point here or from the reader's browser, is stopped by Host and Origin.
 */
export class Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor({ host, allowed_hosts }: Pick<Config, "host" | "allowed_hosts">, port: number) {
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
      token: /^Bearer ([A-Za-z0-9_]{1,200})$/i.exec(header(request, "authorization") ?? "")?.[1],
      space_id: header(request, "x-session-id"),
      caller_agent: header(request, "x-caller-agent"),
    };
  }
}
