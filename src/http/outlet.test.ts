import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../testing/process.ts";
import { MAX_BUFFERED, Outlet, Outlets } from "./outlet.ts";

const NEVER = { keep_alive_ms: 3_600_000, stalled_ms: 3_600_000 };
const LONG = "x".repeat(8 * 1024);

test("a reader that reads gets every hint with its payload", async () => {
  const { outlet, reader } = await connected();
  outlet.open();
  for (const n of [1, 2, 3]) outlet.hint("inbox", `data: ${n}\n\n`, () => "data: bare\n\n");
  expect(await reader.text(3)).toEqual(["data: 1", "data: 2", "data: 3"]);
});

test("hints that come before the first frame follow it", async () => {
  const { outlet, reader } = await connected();
  outlet.hint("inbox", "data: full\n\n", () => "data: bare\n\n");
  outlet.open({}, "data: first\n\n");
  expect(await reader.text(2)).toEqual(["data: first", "data: bare"]);
});

test("a reader that does not read costs at most 256 KiB, and gets one hint a key when it reads again", async () => {
  const { outlet, reader, response } = await connected();
  outlet.open();
  reader.pause();
  let most = 0;
  let sent = 0;
  while (!outlet.stalled) {
    outlet.hint("inbox", `data: ${LONG}\n\n`, () => "data: bare\n\n");
    sent += 1;
    await new Promise(setImmediate);
  }
  for (let n = 0; n < 1000; n += 1) {
    outlet.hint(`key ${n % 3}`, `data: ${LONG}\n\n`, () => `data: bare ${n % 3}\n\n`);
    most = Math.max(most, response.writableLength);
  }
  expect(most).toBeLessThanOrEqual(MAX_BUFFERED);

  reader.resume();
  const told = await reader.text(sent + 3);
  expect(told.slice(sent)).toEqual(["data: bare 0", "data: bare 1", "data: bare 2"]);
  expect(outlet.closed).toBe(false);
});

test("what must arrive goes out while there is room, and ends the stream when there is none", async () => {
  const { outlet, reader, response, why } = await connected();
  outlet.open();
  reader.pause();
  let most = 0;
  while (!outlet.closed) {
    outlet.write(`data: ${LONG}\n\n`);
    most = Math.max(most, response.writableLength);
    await new Promise(setImmediate);
  }
  expect(why()).toBe("dropped");
  expect(most).toBeLessThanOrEqual(MAX_BUFFERED);
});

test("a reader that does not read for too long is dropped, and one that reads is kept alive", async () => {
  const outlets = new Outlets({ keep_alive_ms: 60, stalled_ms: 200 });
  const stalled = await connected(outlets);
  const lively = await connected(outlets);
  lively.outlet.open();
  stalled.outlet.open();
  stalled.reader.pause();
  while (!stalled.outlet.stalled) {
    stalled.outlet.hint("inbox", `data: ${LONG}\n\n`, () => "data: bare\n\n");
    await new Promise(setImmediate);
  }
  await until(() => stalled.outlet.closed);
  expect(stalled.why()).toBe("dropped");
  expect((await lively.reader.text(2)).every((frame) => frame.startsWith(": "))).toBe(true);
  expect(lively.outlet.closed).toBe(false);
});

test("many readers are kept alive a few at a time, so that nobody waits for all of them", async () => {
  const outlets = new Outlets({ keep_alive_ms: 60, stalled_ms: 3_600_000 });
  let turn = 0;
  let next = setImmediate(function count() {
    turn += 1;
    next = setImmediate(count);
  });
  onTestFinished(() => clearImmediate(next));
  const kept = new Map<Outlet, number>();
  for (let n = 0; n < 40; n += 1) {
    const { outlet, response } = await connected(outlets);
    outlet.open();
    const write = response.write.bind(response);
    response.write = (chunk: unknown) => {
      if (!kept.has(outlet)) kept.set(outlet, turn);
      return write(chunk);
    };
  }
  kept.clear();
  await until(() => kept.size === 40);
  const turns = Map.groupBy(kept.values(), (turn) => turn);
  expect(turns.size).toBeGreaterThan(2);
});

test("the owner is told once, whoever ends the stream", async () => {
  const outlets = new Outlets(NEVER);
  const [left, ended, destroyed] = [await connected(outlets), await connected(outlets), await connected(outlets)];
  for (const { outlet } of [left, ended, destroyed]) outlet.open({}, "data: hello\n\n");
  left.reader.leave();
  ended.outlet.end("data: goodbye\n\n");
  destroyed.outlet.destroy();
  await until(() => left.outlet.closed);
  for (const { outlet, times, why } of [left, ended, destroyed]) {
    outlet.end();
    outlet.destroy();
    expect([times(), why()]).toEqual([1, "ended"]);
  }
  expect(await ended.reader.text(2)).toEqual(["data: hello", "data: goodbye"]);
});

test("room again is told to whoever waits for it", async () => {
  const { outlet, reader } = await connected();
  outlet.open();
  reader.pause();
  let drained = 0;
  outlet.ondrain = () => {
    drained += 1;
  };
  while (outlet.write(`data: ${LONG}\n\n`)) await new Promise(setImmediate);
  expect(drained).toBe(0);
  reader.resume();
  await until(() => drained === 1 && !outlet.stalled);
});

interface Connected {
  outlet: Outlet;
  response: ServerResponse;
  reader: Reader;
  times(): number;
  why(): string | undefined;
}

async function connected(outlets = new Outlets(NEVER)): Promise<Connected> {
  const accepted = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => accepted.resolve(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address with one.
  const reader = new Reader((server.address() as AddressInfo).port);
  const response = await accepted.promise;
  const outlet = new Outlet(response, outlets);
  const reasons: string[] = [];
  outlet.onclose = (why) => void reasons.push(why);
  return { outlet, response, reader, times: () => reasons.length, why: () => reasons[0] };
}

class Reader {
  readonly #frames: string[] = [];
  readonly #request;
  #response: IncomingMessage | undefined;
  #paused = false;
  #rest = "";

  constructor(port: number) {
    this.#request = get({ host: "127.0.0.1", port, agent: false }, (response) => this.#read(response));
    // A stream that the hub drops is an error to Node.
    this.#request.on("error", () => {});
  }

  pause(): void {
    this.#paused = true;
    this.#response?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#response?.resume();
  }

  leave(): void {
    this.#request.destroy();
  }

  async text(count: number): Promise<string[]> {
    await until(() => this.#frames.length >= count);
    return this.#frames;
  }

  #read(response: IncomingMessage): void {
    this.#response = response;
    response.on("error", () => {});
    response.setEncoding("utf8").on("data", (text: string) => {
      const frames = (this.#rest + text).split("\n\n");
      this.#rest = frames.pop() ?? "";
      this.#frames.push(...frames);
    });
    if (this.#paused) response.pause();
  }
}
