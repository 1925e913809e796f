/** Calls of the workspace, which always name their space. */
import type { TestHub } from "./hub.ts";

export class Desk {
  readonly #hub: TestHub;
  readonly #token: string;
  readonly #headers: Record<string, string>;

  constructor(hub: TestHub, token: string, headers: Record<string, string> = {}) {
    this.#hub = hub;
    this.#token = token;
    this.#headers = { "x-session-id": "main", ...headers };
  }

  static async of(hub: TestHub, role: Parameters<TestHub["token"]>[0], name: string): Promise<Desk> {
    return new Desk(hub, await hub.token(role, name));
  }

  call(tool: string, args: object = {}): ReturnType<TestHub["call"]> {
    return this.#hub.call(this.#token, tool, args, this.#headers);
  }

  /** What came back from a call that has to succeed. */
  async done(tool: string, args: object = {}): Promise<Awaited<ReturnType<TestHub["call"]>>["body"]> {
    const { status, body } = await this.call(tool, args);
    if (status !== 200) throw new Error(`${tool} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  /** With which code a call is refused. */
  async refused(tool: string, args: object = {}): Promise<string> {
    const { status, body } = await this.call(tool, args);
    if (status === 200) throw new Error(`${tool} was not refused`);
    return body.code;
  }
}
