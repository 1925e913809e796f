/**
 * A client asks its person whether it may use a tool: the people of the space are asked at once, with all that it is to
 * be used with. Whoever answers first has answered. Nothing is ever allowed by silence, by an error, by a hub that is
 * gone, or by an answer to another question.
 */

import type { Client } from "../core/client.ts";
import { elided, plain, plainLine } from "../core/envelope.ts";
import { placeName, projectOf } from "../core/identity-env.ts";
import { Patience } from "../core/patience.ts";
import { behaviorOf, EXPIRES_S, permissionRequest, type Requested } from "../core/permission-request.ts";
import { Asking, digestOf, settledBy } from "./asking.ts";
import { PROGRAMS } from "./events.ts";
import type { HookInput } from "./input.ts";
import type { Asked, Response } from "./respond.ts";

const WAIT_MS = 25_000;
const LOOK_MS = 2_000;
const LAST_WORDS_MS = 3_000;
/** What a card has room for, and what the hub takes. */
const MOST_SHOWN = 7_000;
const MOST_TAKEN = 90_000;

export async function askPermission(asked: Asked, { client }: { client: Client }): Promise<Response> {
  const { input } = asked;
  // Claude Code goes on beside its hook. Codex shows its own question only once the hook has ended, so there it is told.
  const waits = asked.client === "claude";
  const ended = waits ? clientEnds() : undefined;
  const requested = await client.call("approval_request", requestOf(input, asked.client));
  if (requested.state !== "pending") return { text: decisionOf(requested, asked.client) };
  const { id } = requested;
  const asking = new Asking(asked.cli.home.path, input.session_id ?? "");
  const digest = digestOf(input.value("tool_name"), input.value("tool_input"));
  asking.add({ approval_id: id, digest, agent_id: input.text("agent_id") ?? null });
  if (!ended) return { text: "" };
  return { text: "", decided: () => decided({ client, asking, id, ended }) };
}

/** What a hook of the same session sees of it: the question was answered at the terminal, so nobody is to answer it here. */
export async function withdrawSettled({ cli, event, input }: Asked, client: () => Promise<Client>): Promise<void> {
  const asking = new Asking(cli.home.path, input.session_id ?? "");
  for (const { approval_id } of settledBy(event, input, asking.list())) {
    await (await client()).call("approval_withdraw", { id: approval_id });
    asking.remove(approval_id);
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
    if (answer !== "ended") return decisionOf(answer, "claude");
    await client.call("approval_withdraw", { id }, { timeout_ms: LAST_WORDS_MS });
  } finally {
    asking.remove(id);
  }
  // The hub still holds the call that waits; whoever is told to go does not wait for that.
  process.exit(0);
}

/** Also by a hub that is started anew meanwhile. */
const answerTo = (client: Client, id: string): Promise<Requested> =>
  new Patience({ wait_ms: EXPIRES_S * 1000, patient: true }).until(
    (wait_seconds) => client.call("approval_wait", { id, wait_seconds }),
    ({ state }) => state !== "pending",
    WAIT_MS,
  );

function decisionOf(answer: Requested, program: Asked["client"]): string {
  const behavior = behaviorOf(answer);
  if (behavior === undefined) return "";
  const decision =
    behavior === "allow"
      ? { behavior, ...(answer.edited && { updatedInput: answer.arguments }) }
      : denial(answer, program);
  return JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });
}

function denial({ outcome, decided_by, reason, says }: Requested, program: Asked["client"]) {
  const message = outcome?.startsWith("user")
    ? `${decided_by} denied it on Parley${reason ? `: ${reason}` : "."}`
    : says;
  // Codex takes an answer that interrupts for a broken one.
  const interrupts = program === "claude" && outcome?.endsWith("deny_abort");
  return { behavior: "deny", message, ...(interrupts && { interrupt: true }) };
}

/** Esc sends SIGTERM; a client that was killed says nothing. */
function clientEnds(): Promise<"ended"> {
  const parent = process.ppid;
  return new Promise((done) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => done("ended"));
    setInterval(() => process.ppid !== parent && done("ended"), LOOK_MS).unref();
  });
}

function requestOf(input: HookInput, program: Asked["client"]) {
  const where = plainLine(placeName(projectOf(undefined, process.env)));
  const tool_input = input.value("tool_input") ?? {};
  const isObject = typeof tool_input === "object" && !Array.isArray(tool_input);
  const shown = plain(JSON.stringify(tool_input, null, 2));
  const whole = isObject && shown.length <= MOST_TAKEN;
  return permissionRequest({
    server: PROGRAMS[program],
    tool_name: input.text("tool_name") ?? "a tool",
    given: whole
      ? { arguments: JSON.stringify(tool_input), covers: "arguments" }
      : { arguments: { preview: elided(shown, MOST_SHOWN) }, covers: "preview" },
    is_whole: shown.length <= MOST_SHOWN,
    about: `It is at work in ${where}.`,
    verdicts: program === "claude" ? ["approve", "deny_continue", "deny_abort"] : ["leave"],
  });
}
