import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { Child } from "./child.ts";
import { compiled } from "./compiled.ts";
import { PARLEY } from "./program.ts";
import { LEGACY } from "./wire.ts";

interface Answer {
  id: number;
  result?: { isError?: boolean; structuredContent?: object };
  error?: unknown;
}

interface Streams {
  stdin: Writable;
  stdout: Readable;
}

/** A client of an MCP server on that one's standard streams, with many calls under way at once. */
class Lines {
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly #stdin: Writable;
  #last = 0;

  constructor({ stdin, stdout }: Streams) {
    this.#stdin = stdin;
    createInterface({ input: stdout }).on("line", (line) => {
      // Nothing else writes to that stream.
      const answer = JSON.parse(line) as Answer;
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
  }

  async begin(): Promise<void> {
    const clientInfo = { name: "bench", version: "1.0.0" };
    await this.#ask("initialize", { protocolVersion: LEGACY, capabilities: {}, clientInfo });
    this.#send({ method: "notifications/initialized" });
  }

  async call(tool: string, args: object): Promise<object> {
    const { result, error } = await this.#ask("tools/call", { name: tool, arguments: args });
    if (error || !result || result.isError) throw new Error(`${tool} failed: ${JSON.stringify(error ?? result)}`);
    return result.structuredContent ?? {};
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
    this.#stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

/** A client of a server that is a program of the bench. */
export class StdioClient implements AsyncDisposable {
  readonly child: Child;
  readonly #lines: Lines;

  static async open(program: string, env: Record<string, string> = {}): Promise<StdioClient> {
    await using undo = new AsyncDisposableStack();
    const client = undo.use(new StdioClient(new Child(program, { piped: true, env })));
    await client.child.ready;
    await client.#lines.begin();
    undo.move();
    return client;
  }

  private constructor(child: Child) {
    this.child = child;
    this.#lines = new Lines(child.streams);
  }

  call(tool: string, args: object): Promise<object> {
    return this.#lines.call(tool, args);
  }

  /** Microseconds of the server's CPU that a call takes. */
  async cpu(tool: string, args: object, { count, at_once }: { count: number; at_once: number }): Promise<number> {
    const before = await this.child.ask<number>("cpu");
    let left = count;
    const work = async (): Promise<void> => {
      for (; left > 0; ) {
        left -= 1;
        await this.call(tool, args);
      }
    };
    await Promise.all(Array.from({ length: at_once }, work));
    return ((await this.child.ask<number>("cpu")) - before) / count;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.child[Symbol.asyncDispose]();
  }
}

/** A client of `parley mcp`, which is a process of its own and ends when it is asked nothing more. */
export class ParleyMcp implements AsyncDisposable {
  readonly #program;
  readonly #lines: Lines;

  static async open(args: readonly string[], env: Record<string, string>): Promise<ParleyMcp> {
    await using undo = new AsyncDisposableStack();
    const client = undo.use(new ParleyMcp(args, env));
    await client.#lines.begin();
    undo.move();
    return client;
  }

  private constructor(args: readonly string[], env: Record<string, string>) {
    const { PATH = "" } = process.env;
    this.#program = spawn(PARLEY, ["mcp", ...args], {
      env: { PATH, ...compiled(), ...env },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#lines = new Lines(this.#program);
  }

  call(tool: string, args: object): Promise<object> {
    return this.#lines.call(tool, args);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#program.once("exit", resolve));
    this.#program.stdin.end();
    await ended;
  }
}
