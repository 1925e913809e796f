/** The official conformance suite against the real hub, for each revision it has frozen requirements for. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createFixtures } from "../src/testing/conformance/index.ts";
import { Raw } from "../src/testing/mcp-raw.ts";
import { Ground } from "../src/testing/process.ts";

const SUITE = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")),
  "dist/index.js",
);

test.each(["2026-07-28", "2025-11-25"])("the hub meets every requirement of revision %s", async (revision) => {
  await using ground = new Ground();
  const { url, home } = await ground.host({ rate_limit: 100_000 }, { fixtures: createFixtures() });
  await using proxy = await proxyWithToken(url, readFileSync(join(home, "admin.token"), "utf8").trim());
  const { code, output } = await runSuite(ground, ["server", "--url", `${proxy.url}/mcp`, "--requirements", revision]);
  expect(code, failuresIn(output)).toBe(0);
  expect(output).toContain("=== SUMMARY ===");
});

test("what is served has no fixtures", async () => {
  await using ground = new Ground();
  const { url, home } = await ground.serve();
  const admin = new Raw(url, readFileSync(join(home, "admin.token"), "utf8").trim());
  const { body } = await admin.modern({ method: "tools/list" });
  const names = body.result.tools.map(({ name }: { name: string }) => name);
  expect(names).toContain("whoami");
  expect(names.filter((name: string) => name.startsWith("test_"))).toEqual([]);
  expect((await admin.modern({ method: "prompts/list" })).body.error.code).toBe(-32601);
});

/** What a report shows of a long message is its beginning. */
const failuresIn = (output: string): string =>
  [...output.split("\n").filter((line) => /^\s*(✗|Error|FAIL)/.test(line)), output].join("\n");

async function runSuite(ground: Ground, args: string[]): Promise<{ code: number | null; output: string }> {
  const suite = spawn(process.execPath, [SUITE, ...args], { cwd: ground.folder, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [suite.stdout, suite.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const [code] = await once(suite, "close");
  return { code, output };
}

/** The suite sends no credential. It does send foreign names as Host and Origin, which go through as they are. */
async function proxyWithToken(hub: string, token: string): Promise<{ url: string } & AsyncDisposable> {
  const target = new URL(hub);
  const server = createServer((incoming, response) => {
    const headers = { ...ownNames(incoming.headers), authorization: `Bearer ${token}` };
    const { method, url: path } = incoming;
    const to = { host: target.hostname, port: target.port, agent: false, method, path, headers } as const;
    const forwarded = request(to, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    forwarded.on("error", () => response.destroy());
    response.on("close", () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  // Neither side closes a connection that the suite is about to use: on a busy machine it may come late.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address with one.
  const own = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ownNames = ({ host, origin, ...headers }: IncomingHttpHeaders): IncomingHttpHeaders => ({
    ...headers,
    host: host?.replace(own, target.host),
    ...(origin && { origin: origin.replace(own, target.host) }),
  });
  return {
    url: `http://${own}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
