/**
 * Does a turn as Claude Code and Codex do it without a person, and as it is told: `node command-agent.mjs claude|codex FOLDER
 * [deaf] [stay] -- …`, then the client's own arguments. The newest message is a script: steps behind semicolons, each a
 * word with its argument behind a colon; what stands behind a bar is for the next prompt, if that is a notification.
 *
 *   say:TEXT    plain text                     tool:NAME   a tool call of its own, with a result
 *   post:TEXT   says it to people              yield       ends its turn
 *   file:TEXT   files a task                   ask:NAME    asks for permission (claude)
 *   hang        never goes on                  crash       ends in the middle of it
 *   cut         ends in the middle of a line   garbage     lines that are no messages
 *   flood       text without end               quota       meets its quota
 *   error       ends its turn with an error    child       leaves a process behind
 *   want        asks for something else (claude)
 *
 * `deaf` has it not hear that it is to stop, `stay` has it not end when its turn does, `elsewhere` has it begin another
 * session than the one it was to go on with. Each prompt uses 100 and 10 tokens, and a quarter of a dollar. The folder
 * has its sessions, what it was given in `prompts`, and its pids in `pids`.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export const COMMAND_AGENT = fileURLToPath(new URL("command-agent.mjs", import.meta.url));

/** How a client prints what it does. */
interface Tongue {
  said(text: string): void;
  called(id: string, tool: string, input: object, server?: string): void;
  returned(id: string, tool: string, output: string, failed?: boolean): void;
  ask(id: string, tool: string, input: object): Promise<{ behavior: string; message?: string; updatedInput?: object }>;
  want(): Promise<unknown>;
  quota(): void;
  ended(error?: string): void;
}

const [client = "", folder = ".", ...rest] = process.argv.slice(2);
const split = rest.indexOf("--");
const [words, args] = [rest.slice(0, split), rest.slice(split + 1)];
const has = (word: string): boolean => words.includes(word);
const after = (name: string): string | undefined => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const line = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`);
const used = { prompts: 0 };
let calls = 0;

/** Its session, with how many prompts it has had and what is left of the script; undefined where it is not known. */
class Session {
  readonly id: string;
  readonly #file: string;
  prompts: number;
  rest: string[];

  constructor(id: string) {
    this.id = id;
    this.#file = join(folder, `session-${id}`);
    const kept = existsSync(this.#file) ? JSON.parse(readFileSync(this.#file, "utf8")) : { prompts: 0, rest: [] };
    this.prompts = kept.prompts;
    this.rest = kept.rest;
  }

  static knows = (id: string): boolean => existsSync(join(folder, `session-${id}`));

  take(texts: readonly string[]): string {
    appendFileSync(join(folder, "prompts"), `${JSON.stringify({ session: this.id, texts, args })}\n`);
    const newest = texts.at(-1) ?? "";
    if (!newest.startsWith("<system notification>")) this.rest = newest.split("|").map((part) => part.trim());
    const script = this.rest.shift() ?? "say:I have nothing more to do.";
    this.prompts += 1;
    used.prompts = this.prompts;
    writeFileSync(this.#file, JSON.stringify({ prompts: this.prompts, rest: this.rest }));
    return script;
  }
}

async function work(tongue: Tongue, script: string): Promise<void> {
  for (const step of script.split(";")) {
    const [word = "", ...argument] = step.trim().split(":");
    await (STEPS[word] ?? STEPS.say)?.(tongue, argument.join(":") || step);
    if (word === "quota" || word === "error") return;
  }
  tongue.ended();
}

const nextCall = (): string => {
  calls += 1;
  return `call-${calls}`;
};

const STEPS: Record<string, (tongue: Tongue, argument: string) => unknown> = {
  say: (tongue, argument) => tongue.said(argument),
  tool: (tongue, tool) => {
    const id = nextCall();
    tongue.called(id, tool, { path: "notes.txt" });
    tongue.returned(id, tool, `${tool} is done`);
  },
  post: (tongue, content) => hubTool(tongue, "chat_assistant_post", { content }),
  yield: (tongue) => hubTool(tongue, "loop_yield_turn", {}),
  file: (tongue, content) => hubTool(tongue, "task_create", { content }),
  ask: async (tongue, tool) => {
    const id = nextCall();
    const input = { path: "notes.txt" };
    tongue.called(id, tool, input);
    const { behavior, message, updatedInput } = await tongue.ask(id, tool, input);
    tongue.returned(
      id,
      tool,
      behavior === "allow" ? `ran ${JSON.stringify(updatedInput)}` : `${message}`,
      behavior !== "allow",
    );
  },
  hang: () => new Promise(() => setInterval(() => {}, 1000)),
  crash: () => {
    process.stderr.write("it is all too much: parley_0123456789abcdef0123456789abcdef\n");
    process.exit(3);
  },
  cut: () => {
    process.stdout.write('{"type":"assistant","message":{"content":[{"type":"te', () => process.exit(0));
    return new Promise(() => {});
  },
  garbage: () => {
    process.stdout.write(
      'this is no message\n{"type":\n[1,2]\n{}\n{"type":7}\nnull\n{"type":"assistant","message":3}\n',
    );
    process.stdout.write(
      '{"type":"item.completed","item":[]}\n{"type":"user","message":{"content":[null,{"type":"tool_result"}]}}\n',
    );
    process.stdout.write(`{"type":"assistant","message":"${"x".repeat(9 * 1024 * 1024)}"}\n`);
  },
  flood: async (tongue) => {
    for (;;) {
      tongue.said("x".repeat(1024 * 1024));
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
  want: (tongue) => tongue.want(),
  quota: (tongue) => tongue.quota(),
  error: (tongue) => tongue.ended("API Error: 500"),
  child: () => {
    const { pid } = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore", detached: true });
    appendFileSync(join(folder, "pids"), `${pid}\n`);
  },
};

/** As it is told where the hub is and who it is there; of the protocol in between the real clients know more. */
async function hubTool(tongue: Tongue, tool: string, input: object): Promise<void> {
  const { url, headers } = hub();
  const id = nextCall();
  const server = client === "claude" ? "parley" : "parley_run";
  tongue.called(id, tool, input, server);
  const answer = await fetch(new URL(`/api/tools/${tool}`, url), {
    method: "POST",
    headers,
    body: JSON.stringify(input),
  });
  tongue.returned(id, tool, await answer.text(), !answer.ok);
}

function hub(): { url: string; headers: Record<string, string> } {
  const token = process.env.PARLEY_TOKEN ?? "";
  if (client === "claude") {
    const { parley } = JSON.parse(after("--mcp-config") ?? "{}").mcpServers;
    const filled = JSON.stringify(parley.headers).replaceAll(/\$\{PARLEY_TOKEN\}/g, token);
    return { url: parley.url, headers: JSON.parse(filled) };
  }
  const set = (key: string): string => {
    const found = args.find((arg) => arg.startsWith(`mcp_servers.parley_run.${key}=`));
    return found === undefined ? "" : JSON.parse(found.slice(found.indexOf("=") + 1));
  };
  const headers = { Authorization: `Bearer ${token}`, "X-Parley-Cause": set("http_headers.X-Parley-Cause") };
  return { url: set("url"), headers };
}

function claude(): void {
  const resumed = after("--resume");
  const known = resumed ?? after("--session-id") ?? randomUUID();
  const common = { type: "result", session_id: known };
  if (resumed !== undefined && !Session.knows(resumed)) {
    process.stderr.write(`No conversation found with session ID: ${resumed}\n`);
    line({ ...common, subtype: "error_during_execution", is_error: true, total_cost_usd: 0 });
    process.exitCode = 1;
    return;
  }
  const session = new Session(has("elsewhere") && resumed ? randomUUID() : known);
  line({ type: "system", subtype: "init", session_id: session.id });
  const asked = new Map<string, (answer: { behavior: string }) => void>();
  const result = (more: object): void => {
    const modelUsage = {
      model: {
        inputTokens: 60 * used.prompts,
        cacheReadInputTokens: 40 * used.prompts,
        outputTokens: 10 * used.prompts,
      },
    };
    line({ ...common, subtype: "success", total_cost_usd: 0.25 * used.prompts, modelUsage, ...more });
  };
  const assistant = (block: object): void =>
    line({ type: "assistant", message: { role: "assistant", content: [block] }, parent_tool_use_id: null });
  const tongue: Tongue = {
    said: (said) => assistant({ type: "text", text: said }),
    called: (id, tool, input, server) =>
      assistant({ type: "tool_use", id, name: server ? `mcp__${server}__${tool}` : tool, input }),
    returned: (id, _, output, failed = false) => {
      const content = [
        { type: "tool_result", tool_use_id: id, content: [{ type: "text", text: output }], is_error: failed },
      ];
      line({ type: "user", message: { role: "user", content } });
    },
    ask: (id, tool_name, input) => {
      const request = { subtype: "can_use_tool", tool_name, input, tool_use_id: id, description: `Use ${tool_name}` };
      line({ type: "control_request", request_id: `ask-${id}`, request });
      return new Promise((resolve) => asked.set(`ask-${id}`, resolve));
    },
    want: () => {
      line({ type: "control_request", request_id: "want", request: { subtype: "elicitation" } });
      return new Promise((resolve) => asked.set("want", resolve));
    },
    quota: () => {
      line({ type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt: 4_102_444_800 } });
      assistant({ type: "text", text: "Limit reached" });
      result({ is_error: true, api_error_status: 429, result: "Limit reached." });
    },
    ended: (error) => result(error ? { is_error: true, result: error } : { is_error: false, result: "Done" }),
  };
  createInterface({ input: process.stdin })
    .on("line", (read) => {
      const { type, message, request, response } = JSON.parse(read);
      if (type === "user")
        void work(tongue, session.take(message.content.map((block: { text: string }) => block.text)));
      if (type === "control_response") asked.get(response.request_id)?.(response.response);
      if (type === "control_request" && request.subtype === "interrupt" && !has("deaf"))
        result({ subtype: "error_during_execution", is_error: true });
    })
    .on("close", () => has("stay") || has("deaf") || process.exit());
}

async function codex(): Promise<void> {
  const resumed = after("resume");
  if (resumed !== undefined && !Session.knows(resumed)) {
    process.stderr.write(`Error: thread/resume failed: no rollout found for thread id ${resumed} (code -32600)\n`);
    process.exitCode = 1;
    return;
  }
  const session = new Session(resumed === undefined || has("elsewhere") ? randomUUID() : resumed);
  line({ type: "thread.started", thread_id: session.id });
  line({ type: "turn.started" });
  const itemOf = (id: string, tool: string, more: object) =>
    known.has(id)
      ? { id, type: "mcp_tool_call", tool, ...known.get(id), ...more }
      : { id, type: "command_execution", command: tool, ...more };
  const known = new Map<string, object>();
  const tongue: Tongue = {
    said: (said) => line({ type: "item.completed", item: { id: nextCall(), type: "agent_message", text: said } }),
    called: (id, tool, input, server) => {
      if (server) known.set(id, { server, arguments: input });
      line({ type: "item.started", item: itemOf(id, tool, { status: "in_progress" }) });
    },
    returned: (id, tool, output, failed = false) => {
      const result = { content: [{ type: "text", text: output }] };
      const status = failed ? "failed" : "completed";
      line({
        type: "item.completed",
        item: itemOf(id, tool, { status, aggregated_output: output, exit_code: 0, result }),
      });
    },
    want: async () => {},
    ask: async () => ({ behavior: "deny", message: "It never asks." }),
    quota: () => line({ type: "turn.failed", error: { message: "You've hit your usage limit. Try again later." } }),
    ended: (error) => {
      const usage = { input_tokens: 100 * used.prompts, cached_input_tokens: 0, output_tokens: 10 * used.prompts };
      line(error ? { type: "turn.failed", error: { message: error } } : { type: "turn.completed", usage });
    },
  };
  await work(tongue, session.take((await text(process.stdin)).split("\n\n")));
}

if (process.argv[1] === COMMAND_AGENT) {
  appendFileSync(join(folder, "pids"), `${process.pid}\n`);
  if (has("deaf")) process.on("SIGTERM", () => {});
  if (has("stay")) setInterval(() => {}, 1000);
  if (client === "claude") claude();
  else await codex();
}
