/**
 * An agent program that speaks ACP, built with the official library, and that does what it is told: `node acp-agent.ts
 * FOLDER [load] [resume] [stdio] [deaf] [mute]`. The newest message is a script: steps behind semicolons, each a word with its argument
 * behind a colon; what stands behind a bar is for the next prompt, if that is a notification alone.
 *
 *   say:TEXT    plain text                     tool:NAME   a tool call of its own, with a result
 *   post:TEXT   says it to people, by MCP      yield       ends its turn, by MCP
 *   ask:NAME    asks for permission            bare:NAME   the same, and does not say what for
 *   always:NAME asks, and offers no "once"     cost:USD    what the session has cost so far
 *   hang        never goes on                  crash       ends in the middle of it
 *   garbage     lines that are no messages     flood       text without end
 *   long        one message of 9 MB            error       refuses the prompt
 *   child       leaves a process behind        slowly:NAME a call told bit by bit
 *   mail:NAME   writes to somebody, by MCP     quota       meets its quota
 *   tells:NAME  what that variable holds       refuses:NAME  the same, as an error
 *   asked:NAME  asks whether it may write to somebody, and writes whatever it is told
 *   tokens:IN,CACHED,OUT  what the prompt has used; anything else says that oddly
 *
 * `load` and `resume` have it know sessions of before, by the one method or the other, `stdio` has it take no HTTP server, `deaf` has it not hear that it is to stop, and
 * `mute` has it answer nothing at all. The folder gets what it was given, a line each in `prompts`, how sessions
 * were opened in `opened`, and its pids in `pids`.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import * as acp from "@agentclientprotocol/sdk";
import type { Client } from "@modelcontextprotocol/client";

export const ACP_AGENT = fileURLToPath(new URL("acp-agent.mjs", import.meta.url));

interface Session {
  id: string;
  server: acp.McpServer | undefined;
  /** Kept for as long as the session. */
  hub: Promise<Client> | undefined;
  /** What it does at the prompts that are left of its script. */
  rest: string[];
  cancelled: PromiseWithResolvers<"cancelled">;
}

interface Turn {
  /** What it says in the end that it has used. */
  used: { usage?: object };
  session: Session;
  client: acp.AgentContext;
  update: (update: acp.SessionUpdate) => Promise<void>;
}

let calls = 0;

const ONCE: acp.PermissionOption[] = [
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

const STEPS: Record<string, (turn: Turn, argument: string) => Promise<void>> = {
  say: ({ update }, text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }),
  tool: async ({ update }, name) => {
    const toolCallId = await begin(update, name, { path: "notes.txt" });
    const content: acp.ToolCallContent[] = [{ type: "content", content: { type: "text", text: `${name} is done` } }];
    await update({ sessionUpdate: "tool_call_update", toolCallId, status: "completed", content });
  },
  slowly: async ({ update }, name) => {
    const toolCallId = await begin(update, name);
    await update({ sessionUpdate: "tool_call_update", toolCallId, rawInput: { path: "notes.txt" } });
    await update({ sessionUpdate: "tool_call_update", toolCallId, status: "completed", rawOutput: { lines: 3 } });
  },
  post: (turn, content) => hubTool(turn, "chat_assistant_post", { content }),
  yield: (turn) => hubTool(turn, "loop_yield_turn", {}),
  mail: (turn, name) => hubTool(turn, "mail_send", mailTo(name)),
  asked: async (turn, name) => {
    await ask(turn, "mcp__parley__mail_send", { rawInput: mailTo(name) });
    await hubTool(turn, "mail_send", mailTo(name));
  },
  ask: (turn, name) => ask(turn, name, { rawInput: { path: "notes.txt" } }),
  bare: (turn, name) => ask(turn, name, {}),
  always: (turn, name) => ask(turn, name, { rawInput: { path: "notes.txt" }, options: ONCE.slice(0, 1) }),
  cost: ({ update }, amount) =>
    update({ sessionUpdate: "usage_update", used: 10, size: 100, cost: { amount: Number(amount), currency: "USD" } }),
  tokens: async ({ used }, numbers) => {
    const [inputTokens, cachedReadTokens, outputTokens] = numbers.split(",").map(Number);
    used.usage = { totalTokens: 0, inputTokens, cachedReadTokens, outputTokens };
  },
  hang: () => new Promise(() => {}),
  crash: async () => {
    process.stderr.write("it is all too much: parley_0123456789abcdef0123456789abcdef\n");
    process.exit(3);
  },
  garbage: async () => {
    process.stdout.write('this is no message\n{"jsonrpc":"2.0"}\n[1,2]\n{"jsonrpc":"2.0","id":99,"result":{}}\n');
    process.stdout.write('{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":7}}\n');
  },
  flood: async ({ update }) => {
    const text = "x".repeat(1024 * 1024);
    for (;;) await update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  },
  long: ({ update }) =>
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x".repeat(9 * 1024 * 1024) } }),
  error: async () => {
    throw new acp.RequestError(-32_000, "It is broken");
  },
  tells: async ({ update }, name) => {
    const toolCallId = await begin(update, "env", { name });
    await update({ sessionUpdate: "tool_call_update", toolCallId, status: "completed", rawOutput: shown(name) });
  },
  refuses: async (_turn, name) => {
    throw new acp.RequestError(-32_000, `It is broken: ${process.env[name]}`);
  },
  quota: async () => {
    throw new acp.RequestError(-32_000, "The quota is used up");
  },
  child: async () => {
    const { pid } = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    appendFileSync(join(folder(), "pids"), `${pid}\n`);
  },
};

const mailTo = (name: string) => ({ to: [name], subject: "Done", body: "As you said." });
const shown = (name: string): string => `${name} is ${process.env[name]}`;
const folder = (): string => process.argv[2] ?? ".";
const can = (word: string): boolean => process.argv.slice(3).includes(word);

async function begin(update: Turn["update"], name: string, rawInput?: object): Promise<string> {
  calls += 1;
  const toolCallId = `call-${calls}`;
  const given = rawInput && { rawInput };
  await update({ sessionUpdate: "tool_call", toolCallId, title: `Use ${name}`, name, status: "in_progress", ...given });
  return toolCallId;
}

async function ask(
  { session, client, update }: Turn,
  name: string,
  { rawInput, options = ONCE }: { rawInput?: object; options?: acp.PermissionOption[] },
): Promise<void> {
  const toolCallId = await begin(update, name, rawInput);
  const toolCall = { toolCallId, name, title: `Use ${name}`, ...(rawInput && { rawInput }) };
  const params: acp.RequestPermissionRequest = { sessionId: session.id, toolCall, options };
  const { outcome } = await client.request(acp.methods.client.session.requestPermission, params);
  const option = outcome.outcome === "selected" ? outcome.optionId : "cancelled";
  const status = option === "yes" ? "completed" : "failed";
  await update({ sessionUpdate: "tool_call_update", toolCallId, status, rawOutput: `was told ${option}` });
}

/** By whatever kind of server it was handed. */
async function connect(server: acp.McpServer): Promise<Client> {
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const client = new Client({ name: "acp-agent", version: "1.0.0" });
  if ("command" in server) {
    const env = Object.fromEntries(server.env.map((variable) => [variable.name, variable.value]));
    await client.connect(new StdioClientTransport({ command: server.command, args: server.args, env }));
  } else {
    const headers = Object.fromEntries(server.headers.map((header) => [header.name, header.value]));
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }));
  }
  return client;
}

async function hubTool({ session, update }: Turn, name: string, args: Record<string, unknown>) {
  const { server } = session;
  if (!server) throw new Error("it was handed no server");
  session.hub ??= connect(server);
  const client = await session.hub;
  const toolCallId = await begin(update, `mcp__${server.name}__${name}`, args);
  const { content, isError } = await client.callTool({ name, arguments: args });
  const rawOutput = JSON.stringify(content);
  await update({ sessionUpdate: "tool_call_update", toolCallId, status: isError ? "failed" : "completed", rawOutput });
}

function scriptOf(session: Session, prompt: readonly acp.ContentBlock[]): string {
  const texts = prompt.map((block) => (block.type === "text" ? block.text : ""));
  appendFileSync(join(folder(), "prompts"), `${JSON.stringify({ session: session.id, texts })}\n`);
  const newest = texts.findLast((text) => !text.startsWith("<system notification>"));
  if (newest !== undefined) session.rest = newest.split("|").map((part) => part.trim());
  return session.rest.shift() ?? "say:I have nothing more to do.";
}

async function work(turn: Turn, script: string): Promise<void> {
  for (const step of script.split(";")) {
    const [word = "", ...argument] = step.trim().split(":");
    await (STEPS[word] ?? STEPS.say)?.(turn, argument.join(":") || step);
  }
}

function serve(): void {
  const sessions = new Map<string, Session>();
  const open = (id: string, [server]: readonly acp.McpServer[]): void => {
    sessions.set(id, { id, server, hub: undefined, rest: [], cancelled: Promise.withResolvers() });
    writeFileSync(join(folder(), `session-${id}`), "");
  };
  const find = (how: string, id: string): void => {
    appendFileSync(join(folder(), "opened"), `${how}\n`);
    if (!existsSync(join(folder(), `session-${id}`))) throw acp.RequestError.resourceNotFound(id);
  };
  const { agent } = acp.methods;
  acp
    .agent({ name: "acp-agent" })
    .onRequest(agent.initialize, () => ({
      protocolVersion: acp.PROTOCOL_VERSION,
      agentCapabilities: {
        ...{ loadSession: can("load"), mcpCapabilities: { http: !can("stdio") } },
        ...(can("resume") && { sessionCapabilities: { resume: {} } }),
      },
    }))
    .onRequest(agent.session.new, ({ params }) => {
      const sessionId = randomUUID();
      appendFileSync(join(folder(), "opened"), "new\n");
      open(sessionId, params.mcpServers);
      return { sessionId };
    })
    .onRequest(agent.session.resume, ({ params: { sessionId, mcpServers = [] } }) => {
      find("resume", sessionId);
      open(sessionId, mcpServers);
      return {};
    })
    .onRequest(agent.session.load, async ({ params: { sessionId, mcpServers }, client }) => {
      find("load", sessionId);
      const content = { type: "text", text: "What was said long ago." } as const;
      await client.notify(acp.methods.client.session.update, {
        ...{ sessionId, update: { sessionUpdate: "agent_message_chunk", content } },
      });
      open(sessionId, mcpServers);
      return {};
    })
    .onRequest(agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
      const session = sessions.get(sessionId);
      if (!session) throw acp.RequestError.resourceNotFound(sessionId);
      session.cancelled = Promise.withResolvers();
      const update = (update: acp.SessionUpdate) =>
        client.notify(acp.methods.client.session.update, { sessionId, update });
      const used = {};
      const done = work({ used, session, client, update }, scriptOf(session, prompt)).then(() => "end_turn" as const);
      return { stopReason: await Promise.race([done, session.cancelled.promise]), ...used };
    })
    .onNotification(agent.session.cancel, ({ params: { sessionId } }) => {
      if (!can("deaf")) sessions.get(sessionId)?.cancelled.resolve("cancelled");
    })
    .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream));
}

if (process.argv[1] === ACP_AGENT) {
  appendFileSync(join(folder(), "pids"), `${process.pid}\n`);
  if (can("deaf")) process.on("SIGTERM", () => {});
  if (can("mute")) setInterval(() => {}, 1000);
  else serve();
}
