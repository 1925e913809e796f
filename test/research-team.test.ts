/** `examples/research-team`, as its README says to run it, and killed at each of its steps. */
import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Child, type Ended, ended, Ground, type HostedHub, until } from "../src/testing/process.ts";

const PROGRAM = fileURLToPath(new URL("../examples/research-team/research-team.ts", import.meta.url));
const REPORT = ["# Market", "# Competitors", "# Finance", "about a million", "# Executive Summary", "open the shop."];

let ground: Ground;
let hub: HostedHub;
let token: string;
beforeEach(async () => {
  ground = new Ground({ in_process: true });
  hub = await ground.host();
  ({ token } = await ground.json<{ token: string }>(["token", "create", "--role", "orchestrator", "--name", "lead"]));
});
afterEach(() => ground[Symbol.asyncDispose]());

function start(session_id: string, url: string): { child: Child; over: Promise<Ended> } {
  const { XDG_CACHE_HOME = ground.folder } = ground.env();
  const compiled = { NODE_COMPILE_CACHE: join(XDG_CACHE_HOME, "parley-examples") };
  const env = ground.env({ PARLEY_URL: url, PARLEY_TOKEN: token, ...compiled });
  const child = ground.watch(spawn(process.execPath, [PROGRAM, session_id], { env, stdio: ["pipe", "pipe", "pipe"] }));
  return { child, over: ended(child) };
}

const call = <T>(tool: string, space: string): Promise<T> => ground.json<T>(["call", tool, "--space", space]);
const answer = (space: string) => ground.json(["answer", "latest", "about a million", "--space", space]);

/** All that the team makes, once. */
async function expectReport(space: string): Promise<void> {
  const { notes } = await call<{ notes: { author: string }[] }>("read_notes", space);
  expect(notes.map(({ author }) => author)).toEqual(["market-analyst", "competitor-analyst"]);
  const { sections } = await call<{ sections: { section_id: string; version: number }[] }>("read_draft", space);
  const written = sections.map(({ section_id, version }) => [section_id, version]);
  expect(written).toEqual(["market", "competitors", "finance", "executive_summary"].map((id) => [id, 1]));
  const { plan } = await call<{ plan: { status: string }[] }>("read_plan", space);
  expect(plan.map(({ status }) => status)).toEqual(Array(4).fill("completed"));
  const { questions } = await call<{ questions: { answer: string }[] }>("get_all_questions", space);
  expect(questions.map(({ answer }) => answer)).toEqual(["about a million"]);
}

test("the team pauses on its question and finishes after the answer; started again it finds all done", async () => {
  const { child, over } = start("sess_coffee", hub.url);
  let said = "";
  child.stdout.on("data", (text: unknown) => {
    said += String(text);
  });
  // Not as soon as it has asked: an answer that is there before it needs it makes it pause for nothing.
  await until(() => said.includes("waiting for an answer"));
  await answer("sess_coffee");
  const { code, stdout, stderr } = await over;
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/scratchpad\/section_created market/);
  expect(stdout).toMatch(/waiting for an answer: What may opening the shop cost\?/);
  for (const part of REPORT) expect(stdout).toContain(part);
  const again = await start("sess_coffee", hub.url).over;
  expect([again.code, again.stdout]).toEqual([0, expect.not.stringContaining("waiting")]);
  await expectReport("sess_coffee");
});

test("killed -9 at each of its steps, before the hub hears of it or after it has answered, it finishes with nothing there twice", async () => {
  const every_other = async (killed: 0 | 1): Promise<void> => {
    const space = `sess_killed_${killed}`;
    await using way = await DeadlyWay.to(hub.url, killed);
    // One of them is killed as it begins to wait and finds the answer when it is back, the other one waits for it.
    const answering = until(() => way.steps.has("checkpoint_wait")).then(() => answer(space));
    let last: Ended;
    do {
      const { child, over } = start(space, way.url);
      way.kill = () => child.kill("SIGKILL");
      last = await over;
    } while (last.signal === "SIGKILL");
    await answering;
    expect([last.code, last.stderr]).toEqual([0, ""]);
    for (const part of REPORT) expect(last.stdout).toContain(part);
    expect(way.killed).toBe(Math.floor((way.steps.size + killed) / 2));
    expect(way.steps.size).toBeGreaterThan(20);
    await expectReport(space);
  };
  await Promise.all([every_other(0), every_other(1)]);
});

/** A way to the hub on which whoever takes it dies: at each second step that nobody made before. */
class DeadlyWay implements AsyncDisposable {
  kill = (): unknown => undefined;
  killed = 0;
  readonly steps = new Set<string>();
  readonly #hub: URL;
  readonly #parity: number;
  readonly #server = createServer((asked, response) => void this.#pass(asked, response));

  static async to(url: string, parity: number): Promise<DeadlyWay> {
    const way = new DeadlyWay(url, parity);
    // Closed as unused by a busy machine, a connection may be one on which the next request is on its way.
    way.#server.keepAliveTimeout = 0;
    await new Promise<void>((resolve) => way.#server.listen(0, "127.0.0.1", resolve));
    return way;
  }

  private constructor(url: string, parity: number) {
    this.#hub = new URL(url);
    this.#parity = parity;
  }

  get url(): string {
    // A server that listens on a port has an address with one.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #pass(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const deadly = this.#isDeadly(stepOf(asked, body.toString("utf8")));
    if (deadly && this.#parity === 0) return this.#die();
    const sent = request(new URL(asked.url ?? "/", this.#hub), {
      method: asked.method,
      headers: { ...asked.headers, host: this.#hub.host },
      agent: false,
    });
    sent.on("error", () => response.destroy());
    response.on("close", () => sent.destroy());
    sent.on("response", (answered) => {
      answered.on("error", () => response.destroy());
      if (deadly) answered.resume().on("end", () => this.#die());
      else answered.pipe(response.writeHead(answered.statusCode ?? 500, answered.headers));
    });
    sent.end(body);
  }

  #isDeadly(step: string | undefined): boolean {
    if (step === undefined || this.steps.has(step)) return false;
    this.steps.add(step);
    return this.steps.size % 2 === this.#parity;
  }

  #die(): void {
    this.killed += 1;
    this.kill();
  }
}

/** What a request does, in words that are the same each time; undefined for what changes nothing. */
function stepOf({ headers }: IncomingMessage, body: string): string | undefined {
  const name = headers["mcp-name"];
  const { idempotency_key, ...args } = body.startsWith("{") ? (JSON.parse(body).params?.arguments ?? {}) : {};
  if (name === "workflow_check") return `${name} ${JSON.stringify(args)}`;
  if (name === "create_session" || name === "checkpoint_wait") return name;
  return idempotency_key && `${name} ${idempotency_key}`;
}
