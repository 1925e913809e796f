/**
 * Prints what `claude -p` and `codex exec` print, as the real ones were seen to: `node fake-client.mjs claude|codex
 * FOLDER …`, then the client's own arguments. The folder holds the sessions it knows, one file each with what they cost;
 * a file `mode` says what it does next: `quota` or `error`. A file `calls` holds what its model calls, turn by turn
 * (`fake-calls.ts`).
 */
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Call, makeCalls } from "./fake-calls.ts";

export const FAKE_CLIENT = fileURLToPath(new URL("fake-client.mjs", import.meta.url));

const line = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`);
const after = (args: readonly string[], name: string): string | undefined =>
  args.includes(name) ? args[args.indexOf(name) + 1] : undefined;

function claude(folder: string, args: readonly string[], { mode, prompt }: { mode: string; prompt: string }): number {
  const resumed = after(args, "--resume");
  const session_id = resumed ?? after(args, "--session-id") ?? randomUUID();
  const file = join(folder, session_id);
  if (resumed && !existsSync(file)) {
    process.stderr.write(`No conversation found with session ID: ${resumed}\n`);
    return 1;
  }
  if (!resumed && existsSync(file)) {
    process.stderr.write(`Error: Session ID ${session_id} is already in use.\n`);
    return 1;
  }
  const calls: Call[][] = existsSync(join(folder, "calls"))
    ? JSON.parse(readFileSync(join(folder, "calls"), "utf8"))
    : [];
  const made = makeCalls({ folder, session_id, calls, prompt, settings: after(args, "--settings") ?? "{}" });
  if (made === "nothing") {
    process.stderr.write("Error: No deferred tool marker found in the resumed session. Provide a prompt.\n");
    return 1;
  }
  const total_cost_usd = (existsSync(file) ? Number(readFileSync(file, "utf8")) : 0) + 0.25;
  writeFileSync(file, String(total_cost_usd));
  line({ type: "system", subtype: "init", session_id });
  const common = { type: "result", session_id, total_cost_usd };
  if (mode === "quota") {
    const rate_limit_info = { status: "rejected", resetsAt: 1_803_909_600, rateLimitType: "five_hour" };
    line({ type: "rate_limit_event", rate_limit_info });
    line({ ...common, subtype: "success", is_error: true, api_error_status: 429, result: "Limit reached" });
    return 1;
  }
  if (mode === "error") {
    line({ ...common, subtype: "success", is_error: true, api_error_status: 500, result: "API Error: 500" });
    return 0;
  }
  const put_off = made === "done" ? {} : { stop_reason: "tool_deferred", deferred_tool_use: made };
  line({ ...common, subtype: "success", is_error: false, result: "Done", ...put_off });
  return 0;
}

function codex(folder: string, args: readonly string[], mode: string): number {
  const resumed = after(args, "resume");
  const thread_id = resumed ?? randomUUID();
  const file = join(folder, thread_id);
  if (resumed && !existsSync(file)) {
    process.stderr.write(`Error: no rollout found for thread id ${resumed}\n`);
    return 1;
  }
  writeFileSync(file, "0");
  line({ type: "thread.started", thread_id });
  line({ type: "turn.started" });
  if (mode === "quota") {
    line({ type: "turn.failed", error: { message: "You've hit your usage limit. Try again later." } });
    return 1;
  }
  line({ type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } });
  return 0;
}

if (process.argv[1] === FAKE_CLIENT) {
  const [client = "", folder = "", ...args] = process.argv.slice(2);
  const prompt = readFileSync(0, "utf8");
  appendFileSync(join(folder, "log"), `${JSON.stringify({ args, prompt })}\n`);
  const mode = existsSync(join(folder, "mode")) ? readFileSync(join(folder, "mode"), "utf8") : "";
  process.exitCode = client === "claude" ? claude(folder, args, { mode, prompt }) : codex(folder, args, mode);
}
