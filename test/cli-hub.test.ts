/** `serve`, `status` and `stop`: a hub comes up, says so, goes down, or says why not. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Ground, until } from "../src/testing/process.ts";

let ground: Ground;
beforeEach(() => {
  ground = new Ground();
});
afterEach(() => ground[Symbol.asyncDispose]());

const hubFile = (): string => join(ground.home, "hub.json");

describe("serve", () => {
  test("says with --json where it is, and the folder then holds its address and an admin token for its owner alone", async () => {
    const hub = await ground.serve();
    expect(hub).toMatchObject({
      home: ground.home,
      pid: hub.child.pid,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    });
    expect(JSON.parse(readFileSync(hubFile(), "utf8"))).toMatchObject({ pid: hub.pid, url: hub.url });
    expect(readFileSync(join(ground.home, "admin.token"), "utf8")).toMatch(/^parley_\w+\n$/);
    for (const name of ["hub.json", "admin.token"]) expect(statSync(join(ground.home, name)).mode & 0o777).toBe(0o600);
  });

  test("says to a person where to go, where the data is and what to do next", async () => {
    const child = ground.start(["serve"]);
    const [text] = await once(child.stdout.setEncoding("utf8"), "data");
    expect(text).toMatch(/^Parley is ready at http:\/\/127\.0\.0\.1:\d+\n/);
    expect(text).toContain(ground.home);
    expect(text).toContain(ground.line("token create --role agent --name scout"));
  });

  test.each(["SIGTERM", "SIGINT"] as const)("ends in good order on %s, with exit code 0", async (signal) => {
    const hub = await ground.serve();
    expect(await hub.kill(signal)).toMatchObject({ code: 0, signal: null });
    expect(existsSync(hubFile())).toBe(false);
  });

  test("goes on although nobody reads what it prints", async () => {
    const hub = await ground.serve();
    hub.child.stdout.destroy();
    hub.child.stderr.destroy();
    expect(await ground.json(["whoami"])).toMatchObject({ space: "main" });
    expect(await hub.kill("SIGTERM")).toMatchObject({ code: 0 });
  });

  test("starts again after it was killed, with the same token and the same data", async () => {
    const first = await ground.serve();
    await ground.json(["chat", "send", "kept"]);
    const token = readFileSync(join(ground.home, "admin.token"), "utf8");
    await first.kill("SIGKILL");
    await ground.serve();
    expect(readFileSync(join(ground.home, "admin.token"), "utf8")).toBe(token);
    expect(await ground.json(["chat", "read"])).toMatchObject({ messages: [{ content: "kept" }] });
  });
});

test("a second signal ends a hub at once that waits for somebody to finish", async () => {
  const hub = await ground.serve();
  const { hostname, port } = new URL(hub.url);
  const socket = connect(Number(port), hostname);
  const token = readFileSync(join(ground.home, "admin.token"), "utf8").trim();
  const head = `POST /api/tools/whoami HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${token}\r\n`;
  socket.on("error", () => {}).write(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`);
  await ground.json(["whoami"]);
  hub.child.kill("SIGTERM");
  // Asked from here: a command may take longer to start than the hub waits.
  await until(() => isRefused(hub.url));
  expect(hub.child.exitCode).toBeNull();
  expect(await hub.kill("SIGTERM")).toMatchObject({ code: 143 });
  socket.destroy();
});

test("a hub whose disk failed ends itself, says why and exits with an error", async () => {
  const hub = await ground.serve([], { PARLEY_FAILPOINT: "post.after_insert:eio:1" });
  expect((await ground.parley(["chat", "send", "lost", "--url", hub.url])).code).not.toBe(0);
  await until(() => hub.child.exitCode !== null);
  expect(hub.child.exitCode).toBe(1);
  expect(hub.stderr()).toContain('"error":{"code":"STORAGE_UNAVAILABLE"');
});

describe("serve refuses with exit code 78 and one sentence", () => {
  const refused = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await ground.parley(["serve", ...args]);
    expect([code, stdout]).toEqual([78, ""]);
    const told = stderr.split("\n").filter((line) => line.startsWith("parley: "));
    expect(told).toHaveLength(1);
    expect(stderr).not.toMatch(/^\s+at /m);
    return told[0] ?? "";
  };

  test("a folder that another hub runs on, and names that one's pid", async () => {
    const first = await ground.serve();
    expect(await refused()).toContain(String(first.pid));
    expect(await ground.json(["status"])).toMatchObject({ status: "ready", pid: first.pid, url: first.url });
  });

  test("a port that somebody else listens on, and says which", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const port = portOf(server);
    try {
      expect(await refused("--port", port)).toContain(port);
    } finally {
      server.close();
    }
  });

  test.each(["65536", "-1", "http", "1.5"])("%j as a port", async (port) => {
    expect(await refused(`--port=${port}`)).toContain(port);
  });

  test("a data folder that cannot be made, and names it", async () => {
    writeFileSync(join(ground.folder, "file"), "");
    const home = join(ground.folder, "file", "home");
    expect(await refused("--home", home)).toContain(home);
  });

  test("a database of a newer Parley, and leaves it as it is", async () => {
    await (await ground.serve()).kill("SIGTERM");
    const file = join(ground.home, "parley.db");
    new DatabaseSync(file).exec("pragma user_version = 99999");
    expect(await refused()).toMatch(/newer/);
  });

  test("an address beyond this machine without encryption", async () => {
    expect(await refused("--host", "0.0.0.0")).toMatch(/insecure|TLS/i);
  });

  test("as JSON when that was asked for", async () => {
    const { code, stderr } = await ground.parley(["serve", "--json", "--port", "x"]);
    expect([code, JSON.parse(stderr)]).toMatchObject([78, { error: { code: "INVALID_ARGUMENT" } }]);
  });
});

describe("stop", () => {
  test("ends the hub of the folder, waits for it, and says so; the second time there is none", async () => {
    const hub = await ground.serve();
    expect(await ground.json(["stop", "--dry-run"])).toMatchObject({ stopped: false, pid: hub.pid });
    expect(await ground.json(["stop"])).toMatchObject({ stopped: true, pid: hub.pid, url: hub.url });
    await until(() => hub.child.exitCode !== null);
    expect(hub.child.exitCode).toBe(0);
    expect(await ground.json(["stop"])).toEqual({ stopped: false, home: ground.home });
  });

  test("leaves a process alone that only has the number of a hub that was killed", async () => {
    const hub = await ground.serve();
    await hub.kill("SIGKILL");
    const waiting = ["-e", "process.stdin.resume()"];
    const stranger = ground.watch(spawn(process.execPath, waiting, { stdio: ["pipe", "pipe", "pipe"] }));
    writeFileSync(hubFile(), JSON.stringify({ pid: stranger.pid, url: hub.url, version: "0", started_at: "" }));
    const { code, stderr } = await ground.parley(["stop"]);
    expect([code, JSON.parse(stderr).error.message]).toEqual([5, expect.stringContaining("Nothing was stopped")]);
    expect(stranger.exitCode).toBeNull();
    expect(stranger.signalCode).toBeNull();
  });

  test("refuses to stop a hub elsewhere", async () => {
    const { code } = await ground.parley(["stop", "--url", "http://127.0.0.1:1"]);
    expect(code).toBe(2);
  });
});

/** Whether nobody takes a connection any more. */
const isRefused = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => resolve(true));
    socket.on("connect", () => {
      socket.destroy();
      resolve(false);
    });
  });

function portOf(server: Server): string {
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("it does not listen");
  return String(address.port);
}
