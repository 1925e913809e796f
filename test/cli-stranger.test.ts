/** A local command gives the tokens of a data folder to the hub of that folder, whoever listens at its port. */
import { spawn } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Ground, until } from "../src/testing/process.ts";

let ground: Ground;
beforeEach(() => {
  ground = new Ground();
});
afterEach(() => ground[Symbol.asyncDispose]());

test("after kill -9 whoever took the port is sent no token, even where the pid is somebody's again", async () => {
  const hub = await ground.serve();
  await ground.json(["agent", "register", "scout"]);
  await ground.json(["whoami", "--agent", "scout"]);
  await hub.kill("SIGKILL");
  await using stranger = await Stranger.at(Number(new URL(hub.url).port));
  const somebody = ground.watch(spawn("sleep", ["600"], { stdio: ["pipe", "pipe", "pipe"] }));
  const left = JSON.parse(readFileSync(join(ground.home, "hub.json"), "utf8"));
  writeFileSync(join(ground.home, "hub.json"), JSON.stringify({ ...left, pid: somebody.pid }));

  const commands = [["status"], ["poll", "--agent", "scout"], ["whoami", "--url", hub.url], ["doctor"], ["stop"]];
  for (const command of commands) await ground.parley(command);
  await ground.parley(["mcp"], { input: '{"jsonrpc":"2.0","id":1,"method":"ping"}\n' });
  expect(stranger.heard).not.toMatch(/bearer|parley_/i);

  // The folder is not lost for that: a hub is started as if nobody had the number.
  expect(await ground.json(["whoami"])).toMatchObject({ principal: "admin" });
  expect(stranger.heard).not.toMatch(/bearer|parley_/i);
});

test("the socket is its owner's alone, and one that a crash left is in nobody's way", async () => {
  const first = await ground.serve();
  const socket = join(ground.home, "hub.sock");
  expect([statSync(ground.home).mode & 0o777, statSync(socket).mode & 0o777]).toEqual([0o700, 0o600]);
  await first.kill("SIGKILL");
  expect(statSync(socket).isSocket()).toBe(true);
  const second = await ground.serve();
  expect(await ground.json(["status"])).toMatchObject({ status: "ready", pid: second.pid });
  await second.kill("SIGTERM");
  expect(statSync(socket, { throwIfNoEntry: false })).toBeUndefined();
});

test("a folder whose path is too long for a socket is served and reached all the same", async () => {
  const home = join(ground.folder, "a".repeat(100), "b".repeat(100));
  await ground.serve(["--home", home]);
  expect(await ground.json(["whoami", "--home", home])).toMatchObject({ principal: "admin" });
  const listed = await ground.parley(["mcp", "--home", home], {
    input:
      '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}\n',
  });
  expect(listed.stdout).toContain('"tools":[');
});

/** Takes every connection and answers nothing. */
class Stranger implements AsyncDisposable {
  heard = "";
  readonly #server: Server;

  static async at(port: number): Promise<Stranger> {
    return until(async () => {
      const server = createServer();
      const taken = await new Promise<boolean>((resolve) => {
        server.once("error", () => resolve(false));
        server.listen(port, "127.0.0.1", () => resolve(true));
      });
      return taken ? new Stranger(server) : undefined;
    });
  }

  private constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket) => {
      socket.on("error", () => {});
      socket.on("data", (chunk) => {
        this.heard += chunk.toString("latin1");
        socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}");
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((done) => this.#server.close(done));
  }
}
