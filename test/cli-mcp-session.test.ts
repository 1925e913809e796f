/** `parley mcp --session`: the session-scoped wrapper for orchestrators in any language. */
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Program, STDIO_CLIENTS } from "../src/testing/mcp.ts";
import { modern } from "../src/testing/mcp-raw.ts";
import { Ground, PARLEY, until } from "../src/testing/process.ts";

let ground: Ground;
let boss: string;
beforeEach(async () => {
  ground = new Ground();
  await ground.host();
  boss = (await ground.json<{ token: string }>(["token", "create", "--role", "orchestrator", "--name", "boss"])).token;
  for (const id of ["sess_a", "sess_b"])
    await ground.json(["call", "create_session", JSON.stringify({ session_id: id })], as());
});
afterEach(() => ground[Symbol.asyncDispose]());

const as = () => ({ env: { PARLEY_TOKEN: boss } });
const args = ["mcp", "--session", "sess_a", "--facet", "workspace,admin"];
const program = (): Program => ({ command: PARLEY, args, env: ground.env({ PARLEY_TOKEN: boss }) as Program["env"] });

for (const [kind, connect] of Object.entries(STDIO_CLIENTS))
  test(`${kind} works in the session that it was bound to, and in no other`, async () => {
    await using client = await connect(program());
    expect((await client.call("whoami")).structuredContent).toMatchObject({ space: "sess_a" });
    expect((await client.tools()).length).toBeGreaterThan(0);
    for (const hostile of [
      () => client.call("whoami", { session_id: "sess_b" }),
      () => client.call("whoami", {}, { "parley/space": "sess_b" }),
      () => client.call("create_session", { session_id: "sess_c" }),
      () => client.call("space_delete", { id: "sess_a" }),
      () => client.read("ui://agents?space=sess_b"),
      () => client.subscribe("ui://sess_b/agents"),
    ])
      await expect(hostile()).rejects.toThrow();
  });

test("a hostile client that writes lines of its own is told that it is bound, and nothing of it reaches the hub", async () => {
  const child = ground.start(args, { PARLEY_TOKEN: boss });
  const replies: { id?: unknown; error?: { data?: { code: string } }; result?: object }[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => replies.push(JSON.parse(line)));
  const lines = [
    modern({ id: 1, method: "tools/call", params: { name: "whoami", arguments: { "X-Session-ID": "sess_b" } } }).body,
    modern({ id: 2, method: "notifications/subscribe", params: { session_id: "sess_b", events: [] } }).body,
    modern({ id: 3, method: "subscriptions/listen", params: { notifications: { session_id: "sess_b" } } }).body,
    JSON.stringify([{ jsonrpc: "2.0", id: 4, method: "ping" }]),
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { space: "sess_b" } }),
    modern({ id: 5, method: "tools/call", params: { name: "whoami", arguments: {} } }).body,
  ];
  child.stdin.write(`${lines.join("\n")}\n`);
  await until(() => replies.length === 5);
  const codes = (id: unknown) => replies.find((reply) => reply.id === id)?.error?.data?.code;
  expect([1, 2, 3].map(codes)).toEqual(["FORBIDDEN", "FORBIDDEN", "FORBIDDEN"]);
  expect(replies.find(({ id }) => id === null)?.error).toMatchObject({ code: -32700 });
  expect(replies.find(({ id }) => id === 5)?.result).toMatchObject({ structuredContent: { space: "sess_a" } });
});

test("two spaces at once, and one that is not there, are refused", async () => {
  const both = await ground.parley([...args, "--space", "sess_b"], as());
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("--session and --space")]);
  const child = ground.start(["mcp", "--session", "sess_none"], { PARLEY_TOKEN: boss });
  const replies: { error?: { data?: { code: string } } }[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => replies.push(JSON.parse(line)));
  child.stdin.write(`${modern({ id: 1, method: "tools/list" }).body}\n`);
  await until(() => replies.length === 1);
  expect(replies[0]?.error?.data?.code).toBe("SESSION_NOT_FOUND");
});
