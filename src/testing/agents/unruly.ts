/**
 * An agent that misbehaves on request, as a program of its own: `node unruly.mjs STEP…`. Each step is a word with its
 * argument behind a colon. What it prints on request is read by tests.
 *
 *   say:TEXT        prints a line                    env:NAME        prints a variable of its environment
 *   stdin           prints what it was given         args            prints its arguments
 *   deaf            ignores SIGTERM and SIGINT       hang            never ends
 *   crash:CODE      ends with that code              kill            ends by SIGKILL
 *   flood:MB        prints so much                   line:MB         the same without a line's end
 *   child:MODE      leaves a process behind: plain, deaf, setsid, twice (setsid, and its parent is gone), bare (setsid and
 *                   without the environment); prints its pid as `child PID`
 *   touch:FILE      writes its pid to a file         wait:FILE       goes on when the file is there
 *   stdio           from here on speaks MCP through `parley mcp` over stdio, and not over HTTP
 *   call:TOOL:JSON  calls a tool of the hub by MCP, and prints the result
 *   brief:TEXT      as a trigger's session: prints what it was given, and makes a task unless that tells of the end of one
 *   await:TEXT      the same, and waits for the task and prints how it ended
 *   ask:TEXT        asks people, waits for the answer and prints it
 *   work            as a worker: takes tasks and completes each until there are none
 *   take            takes one task                   finish          completes it
 *   cost:DOLLARS    says as Claude Code does what it cost
 *   quota:TIME      says as Claude Code does that it met a quota until then, and ends with 1
 *
 * Started as a known client it leaves the client's own arguments alone, which begin with a dash.
 */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const UNRULY = fileURLToPath(new URL("unruly.mjs", import.meta.url));

const PARLEY = fileURLToPath(new URL("../../../bin/parley", import.meta.url));
const mode = { stdio: false };
let task_id: string | number | undefined;

type Step = (argument: string) => Promise<void> | void;

const print = (text: string): Promise<void> => new Promise((done) => process.stdout.write(`${text}\n`, () => done()));

const BLOCK = "x".repeat(1023);

const STEPS: Record<string, Step> = {
  say: print,
  env: (name) => print(`${name}=${process.env[name] ?? ""}`),
  args: () => print(JSON.stringify(process.argv.slice(2))),
  stdin: async () => print(await given()),
  deaf: () => void process.on("SIGTERM", () => {}).on("SIGINT", () => {}),
  hang: async () => {
    for (;;) await pause(3_600_000);
  },
  crash: (code) => process.exit(Number(code || 1)),
  kill: async () => {
    process.kill(process.pid, "SIGKILL");
    await new Promise(() => {});
  },
  flood: async (megabytes) => {
    const block = `${BLOCK}\n`.repeat(1024);
    for (let n = 0; n < Number(megabytes); n += 1)
      await new Promise<void>((done) => process.stdout.write(block, () => done()));
  },
  line: async (megabytes) => {
    for (let n = 0; n < Number(megabytes) * 1024; n += 1)
      await new Promise<void>((done) => process.stdout.write(`${BLOCK}x`, () => done()));
  },
  child: async (mode) => {
    const pid = leaveBehind(mode);
    await print(`child ${pid}`);
  },
  touch: (file) => appendFileSync(file, `${process.pid}\n`),
  wait: async (file) => {
    while (!existsSync(file)) await pause(20);
  },
  call: async (argument) => {
    const [tool = "", ...json] = argument.split(":");
    await using hub = await connect();
    await print(JSON.stringify(await hub.call(tool, JSON.parse(json.join(":") || "{}"))));
  },
  stdio: () => {
    mode.stdio = true;
  },
  take: async () => {
    await using hub = await connect();
    const { next_task } = (await hub.call("get_next_task", { wait_seconds: 30 })) as Next;
    task_id = next_task?.id;
    await print(`took ${task_id}`);
  },
  finish: async () => {
    await using hub = await connect();
    await hub.call("task_complete", { task_id, response_summary: `done by ${process.pid}` });
    await print(`completed ${task_id}`);
  },
  cost: (dollars) =>
    print(JSON.stringify({ type: "result", subtype: "success", is_error: false, total_cost_usd: Number(dollars) })),
  quota: async (time) => {
    const rate_limit_info = { status: "rejected", resetsAt: Date.parse(time) / 1000, rateLimitType: "five_hour" };
    await print(JSON.stringify({ type: "rate_limit_event", rate_limit_info }));
    const result = { type: "result", subtype: "success", is_error: true, api_error_status: 429 };
    await print(JSON.stringify({ ...result, result: "Limit reached" }));
    process.exit(1);
  },
  brief: async (content) => void (await makeTask(content)),
  await: async (content) => {
    const task_ids = await makeTask(content);
    if (task_ids.length === 0) return;
    await using hub = await connect();
    await print(JSON.stringify(await hub.call("task_wait", { task_ids, wait_seconds: 300 })));
  },
  ask: async (question) => {
    await using hub = await connect();
    const { question_id } = (await hub.call("add_question", { question })) as { question_id: string };
    await print(JSON.stringify(await hub.call("question_wait", { question_id, wait_seconds: 300 })));
  },
  work: async () => {
    await using hub = await connect();
    for (;;) {
      const { next_task } = (await hub.call("get_next_task", {})) as Next;
      if (!next_task) return;
      await hub.call("task_complete", { task_id: next_task.id, response_summary: `done by ${process.pid}` });
      await print(`completed ${next_task.id}`);
    }
  },
};

interface Next {
  next_task: { id: string | number } | null;
}

async function given(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** The task, unless this is about the end of one. */
async function makeTask(content: string): Promise<string[]> {
  const told = await given();
  await print(told);
  if (told.includes("has ended")) return [];
  await using hub = await connect();
  const { id } = (await hub.call("task_create", { content })) as { id: string };
  await print(`made ${id}`);
  return [id];
}

/** A process that lives until it is killed, and what its parent does not see of it. */
function leaveBehind(mode: string): number | undefined {
  const detached = mode !== "plain" && mode !== "deaf";
  const steps = mode === "twice" ? ["child:setsid"] : [...(mode === "deaf" ? ["deaf"] : []), "hang"];
  const child = spawn(process.execPath, [UNRULY, ...steps], {
    detached,
    stdio: ["ignore", "inherit", "inherit"],
    ...(mode === "bare" && { env: {} }),
  });
  child.unref();
  return child.pid;
}

async function connect() {
  // It takes longer to load than most of these agents live.
  const { Client } = await import("@modelcontextprotocol/client");
  const client = new Client({ name: "unruly", version: "1.0.0" });
  await client.connect(await (mode.stdio ? overStdio() : overHttp()));
  return {
    call: async (name: string, args: Record<string, unknown>): Promise<unknown> => {
      const { structuredContent, content, isError } = await client.callTool({ name, arguments: args });
      if (isError) throw new Error(JSON.stringify(content));
      return structuredContent;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function overHttp() {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { PARLEY_URL: url = "", PARLEY_TOKEN: token = "" } = process.env;
  const headers = { authorization: `Bearer ${token}` };
  return new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } });
}

async function overStdio() {
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const env = Object.fromEntries(Object.entries(process.env).filter((pair): pair is [string, string] => !!pair[1]));
  return new StdioClientTransport({ command: PARLEY, args: ["mcp"], env, stderr: "inherit" });
}

if (process.argv[1] === UNRULY) {
  const words = process.argv.slice(2);
  const own = words.findIndex((word) => word.startsWith("-"));
  for (const word of own < 0 ? words : words.slice(0, own)) {
    const [name = "", ...argument] = word.split(":");
    const step = STEPS[name];
    if (!step) throw new Error(`there is no step ${name}`);
    await step(argument.join(":"));
  }
}
