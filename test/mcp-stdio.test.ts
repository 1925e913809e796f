/** `parley mcp` with the official clients, and a hub that comes and goes behind it. */
import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Program, STDIO_CLIENTS } from "../src/testing/mcp.ts";
import { modern } from "../src/testing/mcp-raw.ts";
import { freePort } from "../src/testing/ports.ts";
import { type Child, ended, Ground, PARLEY, type ServedHub, until } from "../src/testing/process.ts";

const INBOX = "ui://chat/inbox";

let ground: Ground;
let port: string;
beforeEach(async () => {
  ground = new Ground();
  port = String(await freePort());
});
afterEach(() => ground[Symbol.asyncDispose]());

for (const mode of ["legacy", { pin: "2026-07-28" }] as const)
  test(`shows what an agent asks in a form of its client (${mode === "legacy" ? "2025-11-25" : mode.pin})`, async () => {
    const { hub, scout } = await served();
    const capabilities = { elicitation: { form: {} } };
    const client = new Client({ name: "test", version: "1" }, { capabilities, versionNegotiation: { mode } });
    client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: { answer: "Brno" } }));
    await client.connect(new StdioClientTransport(program(hub, scout)));
    try {
      const added = await client.callTool({ name: "add_question", arguments: { question: "Which city?" } });
      const { question_id } = added.structuredContent as { question_id: string };
      const answered = await client.callTool({ name: "question_wait", arguments: { question_id } });
      expect(answered.structuredContent).toMatchObject({ answer: "Brno", via: "elicitation" });
    } finally {
      await client.close();
    }
  });

for (const [kind, connect] of Object.entries(STDIO_CLIENTS))
  describe(kind, () => {
    test("calls tools, reads and is told of what people say", async () => {
      const { hub, scout } = await served();
      await using client = await connect(program(hub, scout));
      expect((await client.tools()).map(({ name }) => name)).toContain("chat_assistant_post");
      await client.subscribe(INBOX);
      const { id } = await post("hello");
      await until(() => client.updates.length > 0);
      expect(client.updates[0]).toMatchObject({ uri: INBOX, messages: [{ id, content: "hello" }] });
      expect((await client.read(INBOX)).body).toMatchObject({ last_id: id });
      const failed = await client.call("chat_assistant_post", { content: "" });
      expect(failed.isError).toBe(true);
    });

    test("does not notice that the hub was killed and started again", async () => {
      const { hub, scout } = await served();
      await using client = await connect(program(hub, scout));
      await client.subscribe(INBOX);
      await post("before");
      await until(() => client.updates.length > 0);
      await hub.kill("SIGKILL");
      await serve();

      expect((await client.call("chat_assistant_post", { content: "still here" })).isError).toBeFalsy();
      const told = client.updates.length;
      await post("after");
      // With the message along if it listened again by then, and without if it does so only now.
      await until(() => client.updates.length > told);
      const { body } = await client.read(INBOX);
      expect(body).toMatchObject({
        messages: [{ content: "before" }, { content: "still here" }, { content: "after" }],
      });
    });

    test("finds the hub of its data folder again when that was started on another port", async () => {
      const { hub, scout } = await served();
      await using client = await connect({ command: PARLEY, args: ["mcp"], env: ground.env({ PARLEY_TOKEN: scout }) });
      await client.subscribe(INBOX);
      await post("before");
      await until(() => client.updates.length > 0);
      await hub.kill("SIGKILL");
      // Whoever takes the old port is not given the token, nor anything else.
      const strangers: string[] = [];
      await using stranger = createHttpServer(({ url = "" }) => strangers.push(url));
      await new Promise<void>((resolve) => stranger.listen(Number(port), "127.0.0.1", resolve));
      const elsewhere = await ground.serve();
      expect(elsewhere.url).not.toBe(hub.url);

      expect((await client.call("chat_assistant_post", { content: "still here" })).isError).toBeFalsy();
      const told = client.updates.length;
      await post("after");
      await until(() => client.updates.length > told);
      expect((await client.read(INBOX)).body).toMatchObject({
        messages: [{ content: "before" }, { content: "still here" }, { content: "after" }],
      });
      expect(strangers).toEqual([]);
    });

    test("NOTIFY-5: is told by name of everything once, also of what was written while the hub came back", async () => {
      const { hub, scout } = await served();
      await using client = await connect(program(hub, scout));
      const stop = await client.follow({ events: ["scratchpad/note_added"] });
      const note = (content: string) =>
        ground.json(["note", "add", content, "--space", "main"], { env: { PARLEY_TOKEN: scout } });
      await note("before");
      await until(() => client.notified.length > 0);
      await hub.kill("SIGKILL");
      await serve();
      await note("meanwhile");
      // Whoever says nothing finds out by itself.
      await until(() => client.notified.length > 1);
      await note("after");
      await until(() => client.notified.length > 2);
      expect(client.notified.map(({ params }) => params.content_preview)).toEqual(["before", "meanwhile", "after"]);
      await stop();
    });

    test("is told to read again after the hub stopped and came back, even if it asks for nothing", async () => {
      const { hub, scout } = await served();
      await using client = await connect(program(hub, scout));
      await client.subscribe(INBOX);
      await hub.kill("SIGTERM");
      await serve();
      await post("while nobody listened, or just after");
      await until(() => client.updates.some(({ uri }) => uri === INBOX));
    });

    test("gets a sentence when the hub is gone, and answers again when it is back", async () => {
      const { hub, scout } = await served();
      await using client = await connect(program(hub, scout));
      await hub.kill("SIGKILL");
      await expect(client.tools()).rejects.toThrow(/hub at http:\/\/127\.0\.0\.1:\d+ cannot be reached/);
      await serve();
      expect((await client.tools()).length).toBeGreaterThan(0);
    });
  });

test("every line of stdout is a message, whatever the input", async () => {
  const { hub, scout } = await served();
  const child = start(hub, scout);
  const lines = messagesOf(child);
  const { body } = modern({ id: "a\u2028b", method: "tools/call", params: { name: "whoami", arguments: {} } });
  child.stdin.write(`nonsense\n\n[1]\n{"jsonrpc":"2.0","id":5}\n${body}\n`);
  await until(() => lines.some(({ id }) => id === "a\u2028b"));
  expect(lines.filter(({ error }) => error?.code === -32700)).toHaveLength(2);
  expect(lines.find(({ id }) => id === "a\u2028b")?.result?.structuredContent).toMatchObject({ principal: "scout" });
});

test("passes on tasks of a client that declares them, also across a hub that was killed", async () => {
  const { hub, scout } = await served();
  const child = start(hub, scout);
  const lines = messagesOf(child);
  const capable = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  const ask = async (id: string, method: string, params: Record<string, unknown>) => {
    child.stdin.write(`${modern({ id, method, params }, capable).body}\n`);
    await until(() => lines.some((line) => line.id === id));
    return lines.find((line) => line.id === id)?.result;
  };
  const begun = await ask("call", "tools/call", { name: "mail_wait", arguments: {} });
  expect(begun).toMatchObject({ resultType: "task", status: "working" });
  const held = ask("get", "tasks/get", { taskId: begun?.taskId });
  await hub.kill("SIGKILL");
  await serve();
  await ground.json(["send", "--to", "scout", "--subject", "Hello", "--body", "the text"]);
  expect(await held).toMatchObject({
    status: "completed",
    result: { structuredContent: { messages: [{ subject: "Hello", body: "the text" }] } },
  });
});

test("a request that was cancelled is not answered", async () => {
  const { hub, scout } = await served();
  const child = start(hub, scout);
  const lines = messagesOf(child);
  const notifications = { resourceSubscriptions: [INBOX] };
  child.stdin.write(`${modern({ id: "listen", method: "subscriptions/listen", params: { notifications } }).body}\n`);
  await until(() => lines.length === 1);
  child.stdin.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"listen"}}\n`);
  await until(async () => (await streams(hub)) === 0);
  await post("hello");
  child.stdin.write(`${modern({ id: "last", method: "tools/list" }).body}\n`);
  await until(() => lines.some(({ id }) => id === "last"));
  expect(lines.map(({ id, method }) => id ?? method)).toEqual(["notifications/subscriptions/acknowledged", "last"]);
});

test("requests under way are answered after the input has ended, and then it ends", async () => {
  const { hub, scout } = await served();
  const child = start(hub, scout);
  const end = ended(child);
  child.stdin.end(
    `${modern({ id: 1, method: "tools/list" }).body}\n${modern({ id: 2, method: "server/discover" }).body}\n`,
  );
  const { code, stdout } = await end;
  expect(code).toBe(0);
  const ids = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).id);
  expect(ids.sort()).toEqual([1, 2]);
});

test("a token the hub does not know is told as such", async () => {
  const { hub } = await served();
  const child = start(hub, "parley_nonsense");
  const lines = messagesOf(child);
  child.stdin.write(`${modern({ id: 1, method: "tools/list" }).body}\n`);
  await until(() => lines.length > 0);
  expect(lines[0]).toMatchObject({ id: 1, error: { code: 40100, data: { code: "UNAUTHENTICATED" } } });
});

const serve = (): Promise<ServedHub> => ground.serve(["--port", port]);

async function served(): Promise<{ hub: ServedHub; scout: string }> {
  const hub = await serve();
  const args = ["token", "create", "--role", "agent", "--name", "scout"];
  const { token } = await ground.json<{ token: string }>(args);
  return { hub, scout: token };
}

function program({ url }: ServedHub, token: string): Program {
  return { command: PARLEY, args: ["mcp"], env: ground.env({ PARLEY_URL: url, PARLEY_TOKEN: token }) };
}

const start = ({ url }: ServedHub, token: string): Child =>
  ground.start(["mcp"], { PARLEY_URL: url, PARLEY_TOKEN: token });

const post = (content: string): Promise<{ id: string }> => ground.json(["chat", "send", content]);

async function streams({ url, home }: ServedHub): Promise<number> {
  const headers = { authorization: `Bearer ${readFileSync(join(home, "admin.token"), "utf8").trim()}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  return Number(/parley_streams_open\{kind="listen"\} (\d+)/.exec(text)?.[1] ?? 0);
}

interface Line {
  id?: unknown;
  method?: string;
  error?: { code: number };
  result?: { structuredContent?: object; taskId?: string };
}

function messagesOf(child: Child): Line[] {
  const lines: Line[] = [];
  let rest = "";
  // Not by lines of `node:readline`: it ends them at U+2028 too.
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts.map((line): Line => JSON.parse(line)));
  });
  createInterface({ input: child.stderr });
  return lines;
}
