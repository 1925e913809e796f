/** `parley mcp`: MCP on stdin and stdout, forwarded to the hub. */
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Child, ended, Ground, until } from "../src/testing/process.ts";

let ground: Ground;
beforeEach(() => {
  ground = new Ground();
});
afterEach(() => ground[Symbol.asyncDispose]());

interface Reply {
  id?: number;
  result?: { tools?: { name: string }[]; serverInfo?: object; isError?: boolean; structuredContent?: object };
}

/** A client of the older era, as small as can be. Every line of stdout must be a message. */
function talk(child: Child): {
  ask: (method: string, params: object) => Promise<Reply>;
  tell: (method: string) => void;
} {
  const replies = new Map<number, Reply>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const reply: Reply = JSON.parse(line);
    if (reply.id !== undefined) replies.set(reply.id, reply);
  });
  let last = 0;
  const write = (message: object): boolean => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  return {
    tell: (method) => void write({ method }),
    ask: async (method, params) => {
      const id = ++last;
      write({ id, method, params });
      return until(() => replies.get(id));
    },
  };
}

async function greet(child: Child): Promise<ReturnType<typeof talk>> {
  const client = talk(child);
  const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  expect((await client.ask("initialize", hello)).result?.serverInfo).toBeDefined();
  client.tell("notifications/initialized");
  return client;
}

const names = async (client: ReturnType<typeof talk>): Promise<string[]> =>
  ((await client.ask("tools/list", {})).result?.tools ?? []).map(({ name }) => name);

test("starts the hub if none runs, serves the tools of its token, and ends with its input", async () => {
  const child = ground.start(["mcp"]);
  const client = await greet(child);
  expect(await names(client)).toContain("token_create");
  const end = ended(child);
  child.stdin.end();
  expect(await end).toMatchObject({ code: 0 });
  expect(await ground.json(["status"])).toMatchObject({ status: "ready" });
});

test("lists the facets it is given alone, in the space it is given, as the agent whose token it has", async () => {
  await ground.json(["space", "create", "sess_review"]);
  const made = await ground.json<{ token: string }>([
    "token",
    "create",
    "--role",
    "agent",
    "--name",
    "scout",
    "--space",
    "sess_review",
  ]);
  const env = { PARLEY_TOKEN: made.token };
  const client = await greet(ground.start(["mcp", "--facet", "chat-assistant,mail", "--space", "sess_review"], env));
  const tools = await names(client);
  expect(tools).toEqual(expect.arrayContaining(["chat_assistant_post", "chat_read_before", "mail_search"]));
  expect(tools).not.toContain("whoami");
  const posted = await client.ask("tools/call", { name: "chat_assistant_post", arguments: { content: "done" } });
  expect(posted.result?.isError).toBeFalsy();
  expect(await ground.json(["chat", "read", "--agent", "scout", "--space", "sess_review"])).toMatchObject({
    messages: [{ content: "done", author_principal: "scout" }],
  });
});

test("ROLE-1: the queue's first configuration works as it is: a session of the trigger, or the worker where none is named", async () => {
  const queue = (env: Record<string, string>) => greet(ground.start(["mcp", "--facet", "tasks,triggers"], env));
  const called = async (client: ReturnType<typeof talk>, name: string, args: object = {}) =>
    (await client.ask("tools/call", { name, arguments: args })).result?.structuredContent;
  const gmail = await queue({ ATLAS_TRIGGER: "gmail", PARLEY_TRIGGER: "", PARLEY_TRIGGER_SESSION_KEY: "thread-7" });
  const shared = ["trigger_create", "trigger_delete", "trigger_list", "trigger_run", "trigger_update"];
  const sending = ["task_cancel", "task_create", "task_get", "task_update", "task_wait"];
  expect((await names(gmail)).sort()).toEqual([...sending, ...shared]);
  const task = await called(gmail, "task_create", { content: "Answer them" });
  expect(task).toMatchObject({ sender: "trigger:gmail", channel: "task", status: "pending" });
  const { id } = task as { id: string };

  // As Claude Code starts it, with the data folder's own credential and no agent of its own.
  const worker = await queue({ ATLAS_TRIGGER: "", CLAUDECODE: "1" });
  const working = ["get_next_task", "inbox_stats", "task_complete", "task_fail", "task_get", "task_heartbeat"];
  expect((await names(worker)).sort()).toEqual([...working, "task_list", ...shared]);
  expect(await called(worker, "get_next_task")).toMatchObject({ next_task: { id, claimed_by: "worker" } });
  await called(worker, "task_complete", { task_id: Number(id), response_summary: "Answered." });
  expect(await called(gmail, "task_get", { task_id: Number(id) })).toMatchObject({
    ...{ status: "done", response_summary: "Answered.", awaits: [{ session_key: "thread-7" }] },
  });

  // Each has one token, of its role alone, however often it is started.
  const named = await queue({ PARLEY_TRIGGER: "gmail" });
  const plain = await greet(ground.start(["mcp"], { ATLAS_TRIGGER: "gmail" }));
  expect(await names(plain)).toEqual(await names(gmail));
  expect(await called(plain, "task_create", { content: "More" })).toMatchObject({ sender: "trigger:gmail" });
  expect(await names(named)).toEqual(await names(gmail));
  const { tokens } = await ground.json<{ tokens: { label: string | null; principal: string }[] }>(["token", "list"]);
  const made = tokens.filter(({ label }) => label === "parley mcp").map(({ principal }) => principal);
  expect(made.sort()).toEqual(["trigger:gmail", "worker"]);
});

test("prints nothing on stdout when it cannot begin", async () => {
  const { code, stdout, stderr } = await ground.parley(["mcp"], { env: { PARLEY_URL: "nonsense", PARLEY_TOKEN: "x" } });
  expect([code, stdout]).toEqual([2, ""]);
  expect(JSON.parse(stderr).error.code).toBe("INVALID_ARGUMENT");
});
