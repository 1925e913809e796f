/** An agent as its orchestrator starts it: an official MCP client that is bound to one session and can name no other. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { withSession } from "../../src/client/index.ts";

export interface Place {
  url: string;
  /** The orchestrator's: it acts for its agents. */
  token: string;
  session_id: string;
}

type Args = Record<string, unknown>;

export class Agent implements AsyncDisposable {
  readonly name: string;
  readonly #client: Client;

  static async start({ url, token, session_id }: Place, name: string): Promise<Agent> {
    const client = new Client({ name, version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    const headers = { authorization: `Bearer ${token}`, "x-caller-agent": name };
    await withSession(client, session_id).connect(
      ({ fetch }) =>
        new StreamableHTTPClientTransport(new URL("/mcp/workspace", url), { fetch, requestInit: { headers } }),
    );
    return new Agent(name, client);
  }

  private constructor(name: string, client: Client) {
    this.name = name;
    this.#client = client;
  }

  async read<T>(tool: string, args: Args = {}): Promise<T> {
    // As the tool's output schema has it: a script knows what it asked for.
    return (await this.#call(tool, args)) as T;
  }

  /**
   * Writes, once: `what` is the key. An agent that was killed and does all its work again is told what came of it the
   * first time, and nothing is there twice.
   */
  async write(what: string, tool: string, args: Args): Promise<void> {
    await this.#call(tool, { ...args, idempotency_key: `${this.name}: ${what}` });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }

  async #call(name: string, args: Args): Promise<unknown> {
    const { isError, content, structuredContent } = await this.#client.callTool({ name, arguments: args });
    if (isError) throw new Error(`${this.name} could not ${name}: ${JSON.stringify(content)}`);
    return structuredContent;
  }
}
