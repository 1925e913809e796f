/**
 * Calls of tools as Claude Code makes them without a person, as the real one was seen to: before each the hooks of its
 * settings are asked; what they put off ends it, once the other calls of the turn are through; resumed, it asks about that
 * call again, with a prompt or without. `ran` in its folder says what was run, `told` what the model was told instead. A
 * call whose input has `wait` runs until that file is there; tools of ours are called at the hub.
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Call {
  name: string;
  input: Record<string, unknown>;
  /** It is one of a subagent's. */
  agent_id?: string;
  /** It is made without the hooks, as by a command in a shell. */
  unasked?: true;
}

interface Asking {
  folder: string;
  session_id: string;
  calls: readonly (readonly Call[])[];
  prompt: string;
  /** As JSON. */
  settings: string;
}

interface Transcript {
  /** Of the turns that follow its prompt how many have begun. */
  turns: number;
  /** How many calls there were in all. */
  made: number;
  deferred: (Call & { id: string }) | null;
}

/** What it has put off, `done` where that is nothing, or `nothing` where it was to go on with what is not there. */
export function makeCalls(asking: Asking): Call | "done" | "nothing" {
  const { folder, session_id, prompt } = asking;
  const file = join(folder, `${session_id}.calls`);
  const kept: Transcript = existsSync(file)
    ? JSON.parse(readFileSync(file, "utf8"))
    : { turns: 0, made: 0, deferred: null };
  const keep = (): void => writeFileSync(file, JSON.stringify(kept));
  if (!kept.deferred && prompt === "") return "nothing";
  // What was put off comes first, and what follows it: only then the prompt.
  if (kept.deferred) {
    const again = follow([kept.deferred], { asking, kept, keep });
    if (again || prompt === "") return again ?? "done";
  }
  kept.turns = 0;
  return follow([], { asking, kept, keep }) ?? "done";
}

/** A turn and those after it, until there are no more or a call is put off: that one. */
function follow(
  first: readonly (Call & { id: string })[],
  { asking, kept, keep }: { asking: Asking; kept: Transcript; keep: () => void },
): Call | undefined {
  for (let turn = first; ; ) {
    kept.deferred = null;
    for (const call of turn) {
      const decision = call.unasked ? UNASKED : ask(asking, call);
      if (decision.permissionDecision === "defer") kept.deferred = call;
      else if (decision.permissionDecision === "allow")
        run(asking.folder, { ...call, input: decision.updatedInput ?? call.input });
      else appendFileSync(join(asking.folder, "told"), `${decision.permissionDecisionReason.trimEnd()}\n`);
    }
    keep();
    const next = asking.calls[kept.turns];
    if (kept.deferred || !next) return kept.deferred ?? undefined;
    kept.turns++;
    turn = next.map((call) => ({ ...call, id: `toolu_${++kept.made}` }));
  }
}

const UNASKED: Decision = { permissionDecision: "allow", permissionDecisionReason: "" };

interface Decision {
  permissionDecision: string;
  permissionDecisionReason: string;
  updatedInput?: Record<string, unknown>;
}

function ask({ session_id, settings }: Asking, { id, name, input, agent_id }: Call & { id: string }): Decision {
  const { hooks } = JSON.parse(settings);
  const command = hooks?.PreToolUse?.[0]?.hooks?.[0]?.command;
  if (command === undefined) return UNASKED;
  const asked = { session_id, hook_event_name: "PreToolUse", tool_use_id: id, tool_name: name, tool_input: input };
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", command], {
    input: JSON.stringify({ ...asked, ...(agent_id !== undefined && { agent_id }) }),
    encoding: "utf8",
  });
  if (status !== 0) return { permissionDecision: "deny", permissionDecisionReason: stderr };
  return JSON.parse(stdout).hookSpecificOutput;
}

function run(folder: string, { input, name }: Call): void {
  appendFileSync(join(folder, "ran"), `${JSON.stringify({ name, input })}\n`);
  if (name.startsWith("mcp__parley__")) callHub(name.slice("mcp__parley__".length), input);
  if (typeof input.wait === "string")
    while (!existsSync(input.wait)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}

/** With the run's own token, in a process of its own: nothing here waits otherwise. */
function callHub(tool: string, input: object): void {
  const { PARLEY_URL, PARLEY_TOKEN } = process.env;
  const request = { method: "POST", headers: { authorization: `Bearer ${PARLEY_TOKEN}` }, body: JSON.stringify(input) };
  const script = `await fetch(${JSON.stringify(`${PARLEY_URL}/api/tools/${tool}`)}, ${JSON.stringify(request)})`;
  spawnSync(process.execPath, ["--input-type=module", "-e", script]);
}
