import { createInterface } from "node:readline";
import { Child } from "./child.ts";
import { LEGACY } from "./wire.ts";

interface Answer {
  id: number;
  result?: { isError?: boolean };
  error?: unknown;
}

/** A client of an MCP server on a child's standard streams, with many calls under way at once. */
export class StdioClient implements AsyncDisposable {
  readonly child: Child;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #last = 0;

  static async open(program: string, env: Record<string, string>): Promise<StdioClient> {
    const client = new StdioClient(new Child(program, { piped: true, env }));
    await client.child.ready;
    const clientInfo = { name: "bench", version: "1.0.0" };
    await client.#ask("initialize", { protocolVersion: LEGACY, capabilities: {}, clientInfo });
    client.#send({ method: "notifications/initialized" });
    return client;
  }

  private constructor(child: Child) {
    this.child = child;
    createInterface({ input: child.streams.stdout }).on("line", (line) => {
      // Nothing else writes to that stream.
      const answer = JSON.parse(line) as Answer;
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
  }

  /** Microseconds of the server's CPU that a call takes. */
  async cpu(tool: string, args: object, { count, at_once }: { count: number; at_once: number }): Promise<number> {
    const before = await this.child.ask<number>("cpu");
    let left = count;
    const work = async (): Promise<void> => {
      for (; left > 0; ) {
        left -= 1;
        const { result, error } = await this.#ask("tools/call", { name: tool, arguments: args });
        if (error || !result || result.isError) throw new Error(`${tool} failed: ${JSON.stringify(error ?? result)}`);
      }
    };
    await Promise.all(Array.from({ length: at_once }, work));
    return ((await this.child.ask<number>("cpu")) - before) / count;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.child[Symbol.asyncDispose]();
  }

  #ask(method: string, params: object): Promise<Answer> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send({ id, method, params });
    });
  }

  #send(message: object): void {
    this.child.streams.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}
