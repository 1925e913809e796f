import type { IncomingMessage } from "node:http";
import type { Config } from "../config.ts";
import { ParleyError } from "../errors.ts";
import type { Credential } from "../modules/identity/index.ts";

/**
 * Stands in front of every door. A page of another site that reaches this address, by its
 * own name made to point here or from the reader's browser, is stopped by Host and Origin.
 */
export class Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor({ host, allowed_hosts }: Pick<Config, "host" | "allowed_hosts">, port: number) {
    const local = ["127.0.0.1", "localhost", "[::1]", host.includes(":") ? `[${host}]` : host];
    const hosts = [...local.map((name) => `${name}:${port}`), ...allowed_hosts.map((name) => name.toLowerCase())];
    if (port === 80) hosts.push(...local);
    this.#hosts = new Set(hosts);
    this.#origins = new Set(
      hosts.flatMap((name) => [`http://${name}`, ...(allowed_hosts.includes(name) ? [`https://${name}`] : [])]),
    );
  }

  check({ headers }: IncomingMessage): void {
    if (!this.#hosts.has((headers.host ?? "").toLowerCase()))
      throw new ParleyError("HOST_DENIED", "The hub does not answer to this Host. PARLEY_ALLOWED_HOSTS adds names.");
    if (headers.origin !== undefined && !this.#origins.has(headers.origin.toLowerCase()))
      throw new ParleyError("ORIGIN_DENIED", "Requests from this Origin are refused.");
  }

  /** Who the request says it is. Never from the query string: those end up in logs and histories. */
  credential({ headers }: IncomingMessage): Credential {
    return {
      token: /^Bearer ([A-Za-z0-9_]{1,200})$/i.exec(headers.authorization ?? "")?.[1],
      space_id: one(headers["x-session-id"]),
      caller_agent: one(headers["x-caller-agent"]),
    };
  }
}

const one = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header);
