/** Requests on a connection that is kept open, to a hub that goes away at every moment. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Address, HubAddress } from "./hub-address.ts";
import { HubHttp, messagesOf, textOf } from "./hub-http.ts";

const ANSWER = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";

let folder: string;
let server: Server;
let connections: Socket[];
/** What the hub does with the bytes that a connection brings. */
let heard: (socket: Socket, text: string) => void;
let found: number;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "parley-hub-http-"));
  connections = [];
  found = 0;
  heard = (socket) => socket.write(ANSWER);
  server = createServer((socket) => {
    connections.push(socket.on("data", (chunk) => heard(socket, chunk.toString("utf8"))).on("error", () => {}));
  });
  await new Promise<void>((resolve) => server.listen(join(folder, "hub.sock"), resolve));
});
afterEach(async () => {
  for (const socket of connections) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const find = (): Address => {
  found += 1;
  return { url: "http://127.0.0.1:1", socket: join(folder, "hub.sock"), token: "of-the-folder" };
};

const ask = async (http: HubHttp, repeatable = false): Promise<string> =>
  textOf((await http.reach({ method: "POST", message: { said: "once" } }, repeatable)).body);

describe.runIf(process.platform === "linux")("on a socket of Linux", () => {
  test("one request after another is one connection to one hub, each with the token as it is then", async () => {
    const tokens: unknown[] = [];
    heard = (socket, text) => {
      tokens.push(/^Authorization: Bearer (.*)$/im.exec(text)?.[1]);
      socket.write(ANSWER);
    };
    let token = "first";
    const http = new HubHttp(new HubAddress(find, () => token), "/mcp", {});
    expect(await ask(http)).toBe("{}");
    token = "second";
    expect(await ask(http.at("/elsewhere"))).toBe("{}");
    expect([connections.length, found, tokens]).toEqual([1, 1, ["first", "second"]]);
  });

  test("what the hub closed before it read it is sent again, whatever it is", async () => {
    const http = new HubHttp(new HubAddress(find), "/mcp", {});
    await ask(http);
    await setImmediate();
    const second = ask(http);
    // The request is written in this turn, and the other end is read in the next.
    process.nextTick(() => connections[0]?.destroy());
    expect(await second).toBe("{}");
    expect([connections.length, found]).toEqual([2, 2]);
  });

  test("what goes out on a connection that the hub has closed already is sent again", async () => {
    const http = new HubHttp(new HubAddress(find), "/mcp", {});
    await ask(http);
    await setImmediate();
    // In one turn: that it was closed cannot have been heard yet.
    connections[0]?.destroy();
    expect(await ask(http)).toBe("{}");
    expect(connections.length).toBe(2);
  });

  test("what the hub has read and not answered is told to be unknown, and is not sent again", async () => {
    const http = new HubHttp(new HubAddress(find), "/mcp", {});
    await ask(http);
    let requests = 0;
    heard = (socket) => {
      requests += 1;
      socket.destroy();
    };
    await expect(ask(http)).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN" });
    expect(requests).toBe(1);
  });
});

test.each(["\n", "\r\n", "\r"])("events are read as the standard has them, where lines end with %j", async (end) => {
  const events = [": hello", "", "id: 7", 'data: {"method":', 'data: "first"}', "", 'data:{"id":1}', "", ""].join(end);
  heard = (socket) =>
    socket.end(`HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n${events}`);
  const positions: string[] = [];
  const reply = await new HubHttp(new HubAddress(find), "/mcp", {}).reach({ method: "GET" }, false);
  const messages: object[] = [];
  for await (const message of messagesOf(reply, (id) => positions.push(id))) messages.push(message);
  expect([messages, positions]).toEqual([[{ method: "first" }, { id: 1 }], ["7"]]);
});
