/** The command line's own HTTP, against servers that answer as they please. */
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { Client, timeoutFor } from "./client.ts";
import { Failure } from "./failure.ts";

let server: Server | undefined;
afterEach(() => new Promise<void>((done) => (server ? server.close(() => done()) : done())));

/** Answers each connection once its request is there. */
async function hub(answer: (socket: Socket, request: string) => void): Promise<Client> {
  const listening = createServer((socket) => {
    let request = "";
    socket.on("error", () => {});
    // A character may come in two pieces.
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      const before = isWhole(request);
      request += chunk;
      if (!before && isWhole(request)) answer(socket, request);
    });
  });
  server = listening;
  await new Promise<void>((done) => listening.listen(0, "127.0.0.1", done));
  const address = listening.address();
  const port = typeof address === "object" ? address?.port : 0;
  return new Client({ url: `http://127.0.0.1:${port}`, token: "parley_x", space: "main" });
}

function isWhole(request: string): boolean {
  const [head = "", body] = request.split("\r\n\r\n");
  const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
  return body !== undefined && Buffer.byteLength(body) >= length;
}

const failure = async (call: Promise<unknown>): Promise<Failure> => {
  const error = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error instanceof Failure) return error;
  throw new Error(`it did not fail as it should: ${error}`);
};

const TEXT = '{"content":"ünï 🦜"}';
const LENGTH = Buffer.byteLength(TEXT);

describe("an answer is understood", () => {
  test.each([
    ["with a length", `HTTP/1.1 200 OK\r\nContent-Length: ${LENGTH}\r\n\r\n${TEXT}`],
    ["after an interim one", `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n${TEXT}`],
    ["that ends with the connection", `HTTP/1.0 200 OK\r\n\r\n${TEXT}`],
    [
      "in chunks",
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${LENGTH.toString(16)};x=y\r\n${TEXT}\r\n0\r\nTrailer: x\r\n\r\n`,
    ],
  ])("%s, in one piece and byte by byte", async (_what, answer) => {
    for (const size of [answer.length * 4, 1]) {
      const client = await hub(async (socket) => {
        const bytes = Buffer.from(answer);
        for (let at = 0; at < bytes.length; at += size) {
          socket.write(bytes.subarray(at, at + size));
          await new Promise((done) => setImmediate(done));
        }
        socket.end();
      });
      expect(await client.callByName("any", {})).toEqual({ content: "ünï 🦜" });
      await new Promise<void>((done) => server?.close(() => done()));
    }
  });

  test("and what was asked reaches the hub whole", async () => {
    let seen = "";
    const client = await hub((socket, request) => {
      seen = request;
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    });
    await client.callByName("mail_send", { body: "ü\n".repeat(100_000) }, { key: "k-1" });
    expect(seen).toMatch(/^POST \/api\/tools\/mail_send HTTP\/1\.1\r\n/);
    for (const header of ["authorization: Bearer parley_x", "x-session-id: main", "idempotency-key: k-1"])
      expect(seen).toContain(`\r\n${header}\r\n`);
    expect(JSON.parse(seen.split("\r\n\r\n")[1] ?? "")).toEqual({ body: "ü\n".repeat(100_000) });
  });
});

describe("what is no answer is told apart", () => {
  test.each([
    ["half a head", "HTTP/1.1 200 OK\r\nContent-Le"],
    ["half a body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}"],
    ["half the chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"],
    ["nothing", ""],
  ])("%s: the connection was lost, and a call with a key is repeated", async (_what, answer) => {
    let calls = 0;
    const client = await hub((socket) => {
      calls += 1;
      socket.end(calls === 1 ? answer : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    });
    expect(await client.callByName("any", {}, { key: "k-1" })).toEqual({});
    expect(calls).toBe(2);
    calls = 0;
    const lost = await failure(client.callByName("any", {}));
    expect([lost.code, lost.message]).toEqual(["HUB_UNREACHABLE", "The hub broke off in the middle of its answer."]);
  });

  test("another protocol, and JSON that is no hub's", async () => {
    const ssh = await hub((socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n"));
    expect((await failure(ssh.callByName("any", {}))).message).toContain("does not speak HTTP");
    await new Promise<void>((done) => server?.close(() => done()));
    const page = await hub((socket) => socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n<html>"));
    expect((await failure(page.callByName("any", {}))).message).toContain("does not answer as a Parley hub");
  });

  test("a call that waits is given as long as the hub is asked to wait, and the 30 s of every call besides", () => {
    expect([timeoutFor({}), timeoutFor({ wait_seconds: 0 }), timeoutFor({ wait_seconds: 300 })]).toEqual([
      30_000, 30_000, 330_000,
    ]);
  });

  test("nobody there, and nobody who answers in time", async () => {
    const silent = await hub(() => {});
    expect((await failure(silent.callByName("any", {}, { timeout_ms: 50 }))).message).toContain(
      "no answer within 0.05 s",
    );
    const { url } = silent.target;
    await new Promise<void>((done) => server?.close(() => done()));
    server = undefined;
    const gone = new Client({ url, token: undefined, space: undefined });
    expect((await failure(gone.callByName("any", {}))).message).toContain("nothing listens there");
  });
});
