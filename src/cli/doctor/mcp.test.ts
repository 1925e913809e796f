import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { roundTrips } from "./mcp.ts";

test("an answer that comes as a stream is its last message, however its events are written", async () => {
  const events = [
    'data: {"method":"notifications/message"}',
    'data: {"jsonrpc":"2.0","id":1,\r\ndata: "result":{"tools":[{},{}]}}',
  ];
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "mcp-session-id": "one" });
    response.end(events.map((event) => `${event}\r\n\r\n`).join(""));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const checks = await roundTrips({ url, token: "secret", space: undefined });
  expect(checks.map(({ message }) => message)).toEqual(["2 tools.", "2 tools."]);
});
