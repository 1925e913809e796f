import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { onDatabase, type TestHub } from "../testing/hub.ts";
import { until } from "../testing/process.ts";
import { RawConnection } from "../testing/raw-http.ts";

/** Both ends of a connection are in this process. */
const ends = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "TCPSocketWrap").length;

/** What calls before left open for the next one closes at some time of its own, and would be counted. */
const quiet = (): Promise<unknown> => until(() => ends() === 0);

onDatabase("sqlite", (open) => {
  const headersOf = (hub: TestHub, token: string): string =>
    `HTTP/1.1\r\nHost: ${new URL(hub.url).host}\r\nAuthorization: Bearer ${token}\r\n`;

  test("a client that is told it was too slow is let go of, also where it never closes its end", async () => {
    const hub = await open({ config: { request_seconds: 1 } });
    await quiet();
    const socket = connect({ port: Number(new URL(hub.url).port), host: "127.0.0.1", allowHalfOpen: true });
    await once(socket, "connect");
    const told = once(socket, "data");
    socket.write("GET /livez HT");
    expect(String((await told)[0])).toMatch(/^HTTP\/1\.1 408 /);
    await until(() => ends() === 1);
    socket.destroy();
  });

  test("an answer of which nothing is read is given up, and one that is read slowly is not", async () => {
    const hub = await open({ config: { request_seconds: 4 } });
    const ana = await hub.token("human", "ana");
    await hub.call(ana, "chat_human_post", { content: "x".repeat(1024 * 1024) });
    await quiet();
    const ask = async (): Promise<RawConnection> => {
      const connection = await RawConnection.open(hub.url);
      connection.socket.pause();
      // More than the kernel keeps on both sides.
      const one = `POST /api/tools/chat_read_since ${headersOf(hub, ana)}Content-Length: 0\r\n\r\n`;
      connection.send(one.repeat(12));
      return connection;
    };
    using slow = await ask();
    const steps = setInterval(() => (slow.socket.isPaused() ? slow.socket.resume() : slow.socket.pause()), 50);
    using _silent = await ask();
    await until(() => ends() === 4);
    await until(() => ends() === 3);
    clearInterval(steps);
    slow.socket.resume();
    for (let n = 0; n < 12; n += 1) expect((await slow.answer()).status).toBe(200);
  });
});
