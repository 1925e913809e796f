import { expect, test } from "vitest";
import { onDatabase } from "../testing/hub.ts";
import { RawConnection } from "../testing/raw-http.ts";
import { stopTime } from "../testing/stopwatch.ts";
import { AddressLimit } from "./address-limit.ts";
import { sourceOf } from "./pacing.ts";

const KIB = 1024;

onDatabase("sqlite", (open) => {
  test("what is large counts as several calls, on its way in and on its way out", async () => {
    const hub = await open({ config: { rate_limit: 10 } });
    stopTime();
    const [ana, ben] = [await hub.token("human", "ana"), await hub.token("human", "ben")];
    const large = { content: "x".repeat(640 * KIB) };
    const statuses = async (call: () => Promise<{ status: number }>) => {
      const seen: number[] = [];
      while (seen.at(-1) !== 429) seen.push((await call()).status);
      return seen.slice(0, -1);
    };
    // A hundred calls are in the bucket, and each of these is worth forty.
    expect((await statuses(() => hub.call(ana, "chat_human_post", large))).length).toBeLessThan(6);
    expect((await statuses(() => hub.call(ben, "chat_read_since"))).length).toBeLessThan(6);
  });

  test("what never becomes a call counts too", async () => {
    const hub = await open({ config: { rate_limit: 1 } });
    stopTime();
    const ana = await hub.token("human", "ana");
    const broken = () => hub.request("POST", "/api/tools/chat_human_post", { token: ana, body: "{" });
    const statuses = new Set<number>();
    for (let n = 0; n < 11; n += 1) statuses.add((await broken()).status);
    expect([...statuses]).toEqual([400]);
    expect((await hub.call(ana, "whoami")).status).toBe(429);
  });

  test("bytes have a rate as calls do: whoever has sent its share is told when to send more, and others go on", async () => {
    const hub = await open({ config: { rate_limit_kb: 10 } });
    stopTime();
    const [ana, ben] = [await hub.token("human", "ana"), await hub.token("human", "ben")];
    const post = (token: string) => hub.call(token, "chat_human_post", { content: "x".repeat(30 * KIB) });
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429) statuses.push((await post(ana)).status);
    // A hundred kilobytes at once, and the last of them may be more than was left.
    expect(statuses).toHaveLength(5);
    const { body, headers } = await post(ana);
    expect(body).toEqual({
      error: expect.stringMatching(/^Too many bytes\. Try again in \d+ s\.$/),
      code: "RATE_LIMITED",
      retry_after: expect.any(Number),
    });
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await hub.request("GET", "/api/messages", { token: ana })).status).toBe(200);
    expect((await post(ben)).status).toBe(200);
    expect((await hub.call(ben, "chat_read_since")).body.messages).toHaveLength(5);
  });

  test("bytes are paid for when they are announced: what cannot be paid for is refused before any of it is read", async () => {
    const hub = await open({ config: { rate_limit_kb: 10 } });
    const [ana, ben] = [await hub.token("human", "ana"), await hub.token("human", "ben")];
    stopTime();
    using connection = await RawConnection.open(hub.url);
    const start = `POST /api/tools/chat_human_post HTTP/1.1\r\nHost: ${new URL(hub.url).host}\r\n`;
    connection.send(`${start}Authorization: Bearer ${ana}\r\nContent-Length: ${150 * KIB}\r\n\r\n`);
    await expect.poll(async () => (await hub.call(ana, "whoami")).status).toBe(429);
    expect((await hub.call(ben, "whoami")).status).toBe(200);
  });

  test("a webhook that is stormed refuses more before any of it is read, and others are not slowed", async () => {
    const hub = await open({ config: { webhook_rate_limit: 4 } });
    for (const name of ["github", "other"])
      await hub.call(hub.admin, "trigger_create", { name, type: "webhook", prompt: name });
    const time = stopTime();
    const deliver = (name: string, body = "{}") => hub.request("POST", `/api/webhook/${name}`, { body });
    // From one address half of ten seconds' worth, and under both of its names.
    for (let n = 0; n < 20; n += 1) expect((await deliver(n % 2 ? "github" : "main/github")).status).toBe(200);
    const announce = async () => {
      using connection = await RawConnection.open(hub.url);
      const start = `POST /api/webhook/github HTTP/1.1\r\nHost: ${new URL(hub.url).host}\r\n`;
      connection.send(`${start}Content-Length: ${1024 * KIB}\r\n\r\n`);
      return (await connection.answer()).status;
    };
    expect(await announce()).toBe(429);
    const { status, headers, body } = await deliver("github");
    expect([status, headers.get("retry-after"), body.code]).toEqual([429, "1", "RATE_LIMITED"]);
    expect((await deliver("other")).status).toBe(200);
    expect((await hub.call(hub.admin, "inbox_stats")).body.total).toBe(21);
    time.pass(500);
    expect((await deliver("github")).status).toBe(200);
    expect((await deliver("github")).status).toBe(429);
  });

  test("a large delivery to a webhook counts as several, whether or not it says how large it is", async () => {
    const hub = await open({ config: { webhook_rate_limit: 4 } });
    for (const name of ["one", "two"]) await hub.call(hub.admin, "trigger_create", { name, type: "webhook" });
    stopTime();
    const body = "x".repeat(400 * KIB);
    expect((await hub.request("POST", "/api/webhook/one", { body })).status).toBe(200);
    expect((await hub.request("POST", "/api/webhook/one", { body: "x" })).status).toBe(429);
    const chunked = await fetch(`${hub.url}/api/webhook/two`, {
      method: "POST",
      body: new Blob([body]).stream(),
      duplex: "half",
    });
    expect(chunked.status).toBe(200);
    expect((await hub.request("POST", "/api/webhook/two", { body: "x" })).status).toBe(429);
  });

  test("from one address no more than half of what a webhook takes is used up", () => {
    stopTime();
    const limit = new AddressLimit(4, () => {});
    const taken = (source: string): number => {
      let n = 0;
      for (; !limit.refusal("webhook", source); n += 1) limit.spend("webhook", source, 1);
      return n;
    };
    expect([taken("stranger"), taken("github"), taken("a third one"), taken("stranger")]).toEqual([20, 20, 0, 0]);
  });

  test("not to read what is large counts as several refusals: whoever announces it without end is told late", async () => {
    const hub = await open({ config: { rate_limit_kb: 10 } });
    const ana = await hub.token("human", "ana");
    stopTime();
    const announce = async (bytes: number): Promise<{ status: number; took_ms: number }> => {
      using connection = await RawConnection.open(hub.url);
      const start = `POST /api/tools/chat_human_post HTTP/1.1\r\nHost: ${new URL(hub.url).host}\r\n`;
      const before = Date.now();
      connection.send(`${start}Authorization: Bearer ${ana}\r\nContent-Length: ${bytes}\r\n\r\n`);
      const { status } = await connection.answer();
      return { status, took_ms: Date.now() - before };
    };
    expect((await hub.call(ana, "chat_human_post", { content: "x".repeat(110 * KIB) })).status).toBe(200);
    // Of a thousand refusals without delay each of these is worth 65.
    for (let n = 0; n < 15; n += 1) expect((await announce(1024 * KIB)).status).toBe(429);
    const late = await announce(1024 * KIB);
    expect(late.status).toBe(429);
    expect(late.took_ms).toBeGreaterThan(990);
  });

  test("whoever does not read what it asked for is given no more of it, on whichever connection", async () => {
    const hub = await open();
    const ana = await hub.token("human", "ana");
    await hub.call(ana, "chat_human_post", { content: "x".repeat(1024 * KIB) });
    const start = `HTTP/1.1\r\nHost: ${new URL(hub.url).host}\r\nAuthorization: Bearer ${ana}\r\n`;
    using open_connections = new DisposableStack();
    const refused = async () => (await hub.call(ana, "whoami")).body.error?.startsWith("You have not read") === true;
    for (let n = 0; n < 100 && !(await refused()); n += 1) {
      const connection = open_connections.use(await RawConnection.open(hub.url));
      connection.socket.pause();
      connection.send(`POST /api/tools/chat_read_since ${start}Content-Length: 0\r\n\r\n`.repeat(12));
    }
    await expect.poll(refused).toBe(true);
    const ben = await hub.token("human", "ben");
    expect((await hub.call(ben, "whoami")).status).toBe(200);
    open_connections.dispose();
    await expect.poll(refused).toBe(false);
  });

  test("what is open to everybody, and what is at no address, is given out no faster than anybody needs it", async () => {
    const hub = await open();
    const start = `HTTP/1.1\r\nHost: ${new URL(hub.url).host}\r\n\r\n`;
    const asked = ["GET /livez", "GET /nowhere", "PUT /livez", "GET /readyz"].map((what) => `${what} ${start}`);
    const before = performance.now();
    using connections = new DisposableStack();
    const ask = async (_: unknown, n: number): Promise<void> => {
      const connection = connections.use(await RawConnection.open(hub.url));
      connection.send((asked[n % asked.length] ?? "").repeat(10));
      for (let each = 0; each < 10; each += 1) await connection.answer();
    };
    await Promise.all(Array.from({ length: 240 }, ask));
    // Two thousand at once, and then two hundred a second.
    expect(performance.now() - before).toBeGreaterThan(1900);
  });

  test("whoever is refused without end has to wait for each answer, and who has a credential does not", async () => {
    const hub = await open();
    const start = `HTTP/1.1\r\nHost: ${new URL(hub.url).host}\r\n`;
    const wrong = `GET /api/messages ${start}Authorization: Bearer parley_${"x".repeat(43)}\r\n\r\n`;
    const before = performance.now();
    const elapsed = (): number => (performance.now() - before) / 1000;
    using stranger = await RawConnection.open(hub.url);
    stranger.send(wrong.repeat(100));
    for (let n = 0; n < 100; n += 1) expect((await stranger.answer()).status).toBe(401);
    // From the same place, on connections of their own: together they are told no more than one would be.
    using others = new DisposableStack();
    const answered: Promise<number>[] = [];
    for (let n = 0; n < 40; n += 1) {
      const other = others.use(await RawConnection.open(hub.url));
      other.send(wrong);
      answered.push(other.answer().then(() => elapsed()));
    }
    const ana = await hub.token("human", "ana");
    expect((await hub.call(ana, "whoami")).status).toBe(200);
    expect(elapsed()).toBeLessThan(Math.max(...(await Promise.all(answered))));
    // At once they would all have been answered by then; after the first hundred ten a second is what is left to them.
    expect(elapsed()).toBeGreaterThan(3.9);
  });
});

test("strangers are told apart by where they come from, and whoever has a network of IPv6 is one", () => {
  expect(sourceOf("127.0.0.1")).toBe("127.0.0.1");
  expect(sourceOf("::ffff:10.0.0.1")).toBe("10.0.0.1");
  expect(sourceOf("2001:db8:1:2:a:b:c:d")).toBe(sourceOf("2001:db8:1:2::1"));
  expect(sourceOf("2001:db8:1:3::1")).not.toBe(sourceOf("2001:db8:1:2::1"));
  expect(sourceOf("2001:db8::7%eth0")).toBe(sourceOf("2001:db8:0:0:1::"));
  expect(sourceOf("::1")).toBe("0:0:0:0");
  expect(sourceOf(undefined)).toBe("");
});
