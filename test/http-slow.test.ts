/** Clients that send a request a byte at a time, so that it never ends. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EventStream } from "../src/testing/event-stream.ts";
import { Ground } from "../src/testing/process.ts";
import { RawConnection } from "../src/testing/raw-http.ts";

/** Sends `head`, then a byte every now and then until the hub has had enough. Resolves with what it says to that. */
async function trickle(url: string, head: string): Promise<string> {
  using connection = await RawConnection.open(url);
  connection.send(head);
  const more = setInterval(() => connection.send("x"), 50);
  await connection.closed;
  clearInterval(more);
  return connection.received;
}

test("a request whose headers or body never end is ended by the hub, with a sentence, and streams go on", async () => {
  await using ground = new Ground();
  // A third of it is for the headers: enough for those below that are in time, on a busy machine too.
  const hub = await ground.serve([], { PARLEY_REQUEST_SECONDS: "3" });
  const token = readFileSync(`${hub.home}/admin.token`, "utf8").trim();
  using stream = await EventStream.open(hub.url, { token });
  const start = `HTTP/1.1\r\nHost: ${new URL(hub.url).host}\r\nAuthorization: Bearer ${token}\r\n`;
  const post = `POST /api/tools/chat_human_post ${start}Content-Type: application/json\r\n`;

  const said = await Promise.all(
    [
      "GET /",
      `GET /livez ${start}X-Slow: `,
      `${post}X-Slow: `,
      `${post}Content-Length: 100000\r\n\r\n{"content":"`,
      `${post}Transfer-Encoding: chunked\r\n\r\nffff\r\n{"content":"`,
    ].map((head) => trickle(hub.url, head)),
  );
  for (const text of said) {
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain('{"error":"The request took too long to arrive.","code":"INVALID_REQUEST"}');
  }

  const response = await fetch(`${hub.url}/api/tools/chat_human_post`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ content: "in time" }),
  });
  expect(response.status).toBe(200);
  expect(await stream.until(1)).toHaveLength(1);
});
