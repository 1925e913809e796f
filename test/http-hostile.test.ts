import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { Ground, PARLEY, until } from "../src/testing/process.ts";

const adminOf = (home: string): string => readFileSync(`${home}/admin.token`, "utf8").trim();
const alive = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/livez`, { signal: AbortSignal.timeout(10_000) })).status === 200;
  } catch {
    return false; // asked again
  }
};
const residentKib = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]);

/** Connections that send this much of a request and then only wait. */
async function besiege(url: string, count: number, bytes: string): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(port), hostname);
      // The hub may have no room for it: that is its way out.
      socket.on("error", () => {});
      // Not `once` of node:events, which fails when there is an error.
      await new Promise((done) => socket.once("connect", done).once("close", done));
      socket.write(bytes);
      return socket;
    }),
  );
}

test("a hub that runs out of file descriptors survives it and serves again", async () => {
  await using ground = new Ground();
  const script = 'ulimit -n 100 && exec "$0" serve --json';
  const child = ground.watch(
    spawn("sh", ["-c", script, PARLEY], { env: ground.env(), stdio: ["pipe", "pipe", "pipe"] }),
  );
  child.stderr.resume();
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { url } = JSON.parse(line);
  const sockets = await besiege(url, 300, "GET /livez HTTP/1.1\r\n");
  for (const socket of sockets) socket.destroy();
  await until(() => alive(url));
  expect(child.exitCode).toBeNull();
});

test("hundreds of clients that never finish what they began keep nobody else waiting, nor the hub from stopping", async () => {
  await using ground = new Ground();
  const hub = await ground.serve();
  const host = new URL(hub.url).host;
  const token = adminOf(hub.home);
  const post = `POST /api/tools/chat_human_post HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n`;
  const slow = (
    await Promise.all([
      besiege(hub.url, 200, "GET /livez HTT"),
      besiege(hub.url, 200, `GET /livez HTTP/1.1\r\nHost: ${host}\r\nX-Slow:`),
      besiege(hub.url, 200, `${post}Content-Length: 1000\r\n\r\n{"content":`),
      besiege(hub.url, 200, `${post}Transfer-Encoding: chunked\r\n\r\n5\r\n{"con`),
    ])
  ).flat();
  for (let n = 0; n < 20; n++) {
    const response = await fetch(`${hub.url}/api/tools/chat_human_post`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ content: `m${n}` }),
    });
    expect(response.status).toBe(200);
  }
  const { code } = await hub.kill("SIGTERM");
  expect(code).toBe(0);
  for (const socket of slow) socket.destroy();
});

test("clients that ask for much and never read it cost the hub next to no memory", async () => {
  await using ground = new Ground();
  const hub = await ground.serve([], { PARLEY_RATE_LIMIT: "100000" });
  const token = adminOf(hub.home);
  const { token: ana } = await ground.json<{ token: string }>(["token", "create", "--role", "human", "--name", "ana"]);
  const post = (content: string) =>
    fetch(`${hub.url}/api/tools/chat_human_post`, {
      method: "POST",
      headers: { authorization: `Bearer ${ana}` },
      body: JSON.stringify({ content }),
    });
  expect((await post("x".repeat(1024 * 1024))).status).toBe(200);
  const before = residentKib(hub.pid);

  const ask = `POST /api/tools/chat_read_since HTTP/1.1\r\nHost: ${new URL(hub.url).host}\r\nAuthorization: Bearer ${token}\r\nContent-Length: 2\r\n\r\n{}`;
  const greedy = await besiege(hub.url, 30, ask.repeat(100));
  for (const socket of greedy) socket.pause();
  // Three thousand answers of a megabyte each have been asked for; the hub is done when it answers others again.
  await until(() => alive(hub.url));
  for (let n = 0; n < 20; n++) expect((await post(`m${n}`)).status).toBe(200);

  expect(residentKib(hub.pid) - before).toBeLessThan(600 * 1024);
  for (const socket of greedy) socket.destroy();
  await until(() => alive(hub.url));
});
