/**
 * A client asks its person whether it may use a tool: the people of the space are asked at once, with all that it is to
 * be used with. Whoever answers first has answered. Nothing is ever allowed by silence, by an error, by a hub that is
 * gone, or by an answer to another question.
 */
import type { Client } from "../core/client.ts";
import { elided, plain, plainLine } from "../core/envelope.ts";
import { Failure } from "../core/failure.ts";
import { placeName, projectOf } from "../core/identity-env.ts";
import { Asking, digestOf, settledBy } from "./asking.ts";
import type { HookInput } from "./input.ts";
import type { Asked, Response } from "./respond.ts";

/** The client gives its hook as long. */
export const EXPIRES_S = 3600;
const WAIT_S = 25;
const PAUSE_MS = 1_000;
const LOOK_MS = 2_000;
const LAST_WORDS_MS = 3_000;
/** What a notice has room for, beside our own words. */
const MOST_INPUT = 7_000;
const MOST_TOOL = 80;

interface Acting {
  client: Client;
  agent: string | null;
}

export async function askPermission(asked: Asked, { client, agent }: Acting): Promise<Response> {
  const { input } = asked;
  // Claude Code goes on beside its hook. Codex shows its own question only once the hook has ended, so there it is told.
  const waits = asked.client === "claude";
  const ended = waits ? clientEnds() : undefined;
  const { id } = await client.call("notice_raise", noticeOf(input, { agent: agent ?? "", waits }));
  const asking = new Asking(asked.cli.home.path, input.session_id ?? "");
  const digest = digestOf(input.value("tool_name"), input.value("tool_input"));
  asking.add({ notice_id: id, digest, agent_id: input.text("agent_id") ?? null });
  if (!ended) return { text: "" };
  return { text: "", decided: () => decided({ client, asking, id, ended }) };
}

/** What a hook of the same session sees of it: the question was answered at the terminal, so nobody is to answer it here. */
export async function withdrawSettled({ cli, event, input }: Asked, client: () => Promise<Client>): Promise<void> {
  const asking = new Asking(cli.home.path, input.session_id ?? "");
  for (const { notice_id } of settledBy(event, input, asking.list())) {
    await (await client()).call("notice_withdraw", { id: notice_id });
    asking.remove(notice_id);
  }
}

interface Question {
  client: Client;
  asking: Asking;
  id: string;
  /** Resolves when nobody waits for the answer any more. */
  ended: Promise<"ended">;
}

async function decided({ client, asking, id, ended }: Question): Promise<string> {
  try {
    const answer = await Promise.race([answerTo(client, id), ended]);
    if (answer !== "ended") return decisionOf(answer);
    await client.call("notice_withdraw", { id }, { timeout_ms: LAST_WORDS_MS });
  } finally {
    asking.remove(id);
  }
  // The hub still holds the call that waits; whoever is told to go does not wait for that.
  process.exit(0);
}

interface Answer {
  state: string;
  choice: string | null;
  settled_by: string | null;
}

async function answerTo(client: Client, id: string): Promise<Answer> {
  const deadline = performance.now() + EXPIRES_S * 1000;
  for (;;) {
    try {
      const wait = { id, wait_seconds: WAIT_S };
      const answer = await client.call("notice_wait", wait, { timeout_ms: (WAIT_S + 15) * 1000 });
      if (answer.state !== "open") return answer;
    } catch (error) {
      const passes = error instanceof Failure && !["NOTICE_NOT_FOUND", "FORBIDDEN"].includes(error.code);
      if (!passes || performance.now() > deadline) throw error;
    }
    // A hub that stops answers at once, and one that is gone too.
    await new Promise((done) => setTimeout(done, PAUSE_MS));
  }
}

function decisionOf({ state, choice, settled_by }: Answer): string {
  if (state !== "answered" || (choice !== "allow" && choice !== "deny")) return "";
  const decision =
    choice === "allow" ? { behavior: "allow" } : { behavior: "deny", message: `${settled_by} denied it on Parley.` };
  return JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });
}

/** Esc sends SIGTERM; a client that was killed says nothing. */
function clientEnds(): Promise<"ended"> {
  const parent = process.ppid;
  return new Promise((done) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => done("ended"));
    setInterval(() => process.ppid !== parent && done("ended"), LOOK_MS).unref();
  });
}

function noticeOf(input: HookInput, { agent, waits }: { agent: string; waits: boolean }) {
  const name = plainLine(input.text("tool_name") ?? "a tool");
  const tool = name.length > MOST_TOOL ? `${name.slice(0, MOST_TOOL - 1)}…` : name;
  const given = plain(JSON.stringify(input.value("tool_input") ?? null, null, 2));
  // What is not shown whole is not allowed from here.
  const whole = tool === name && given.length <= MOST_INPUT;
  const { randomUUID } = process.getBuiltinModule("node:crypto");
  return {
    // Of its own key, whatever is asked: an old answer must not answer a new question.
    key: `permission ${randomUUID()}`,
    kind: "permission",
    title: `${agent} asks: may it use ${tool}?`,
    text: `${sentence(tool, { whole, waits })}\n\n${elided(given, MOST_INPUT)}`,
    ...(waits && { choices: whole ? ["allow", "deny"] : ["deny", "leave-it-to-the-terminal"] }),
    expires_seconds: EXPIRES_S,
  };
}

function sentence(tool: string, { whole, waits }: { whole: boolean; waits: boolean }): string {
  const where = plainLine(placeName(projectOf(undefined, process.env)));
  const asks = `${tool}, in ${where}.`;
  if (!waits) return `${asks} Only its terminal can answer.`;
  if (!whole) return `${asks} It is too long to be shown here: only its terminal can allow it.`;
  return `${asks} The first answer counts, here or at its terminal.`;
}
