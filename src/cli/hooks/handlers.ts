/** Which lines of a client's settings are ours, and what they say. */
import { isObject } from "../../client/errors.ts";
import { quoted } from "../core/program.ts";
import type { HookClient, HookEvent } from "./events.ts";

/** As Claude Code and Codex both spell it. */
export interface Handler {
  type: "command";
  command: string;
  /** Seconds. */
  timeout: number;
  asyncRewake?: true;
}

export interface Group {
  matcher?: string;
  hooks: Handler[];
}

export type Wanted = readonly { event: string; group: Group }[];

export interface Launch {
  /** The launcher, absolute. */
  parley: string;
  /** Options that make it reach the hub that it was installed for. */
  options: readonly string[];
  /** Whether the client can be woken. */
  wake: boolean;
}

const TIMEOUT_S = 10;
/** A day. The client ends it then, and the next stop begins another. */
const WAITER_TIMEOUT_S = 86_400;
/** As long as people may take to answer. */
const PERMISSION_TIMEOUT_S = 3_600;
/** What asks for a person. That Claude Code is idle is no news to whoever sits before it. */
const ASKS = "elicitation_dialog";

export function wanted(client: HookClient, launch: Launch): Wanted {
  return client === "claude" ? forClaude(launch) : forCodex(launch);
}

function forClaude(launch: Launch): Wanted {
  const of = (event: HookEvent, own: Partial<Handler> = {}, ...more: Handler[]) => ({
    event,
    group: { hooks: [{ ...handler(launch, ["hook", event]), ...own }, ...more] },
  });
  const waiter: Handler = { ...handler(launch, ["wait", "--rewake"]), timeout: WAITER_TIMEOUT_S, asyncRewake: true };
  return [
    of("SessionStart"),
    of("SessionEnd"),
    of("UserPromptSubmit"),
    of("Stop", {}, ...(launch.wake ? [waiter] : [])),
    of("SubagentStop"),
    of("PostToolBatch"),
    of("PreCompact"),
    of("PermissionRequest", { timeout: PERMISSION_TIMEOUT_S }),
    { event: "Notification", group: { matcher: ASKS, hooks: of("Notification").group.hooks } },
  ];
}

/** Codex gives this one no more, and complains of more. */
const timeouts: Partial<Record<HookEvent, { timeout: number }>> = { SessionEnd: { timeout: 3 } };

function forCodex(launch: Launch): Wanted {
  const of = (event: HookEvent, ...more: string[]) => ({
    event,
    group: { hooks: [{ ...handler(launch, ["hook", event, "--client", "codex", ...more]), ...timeouts[event] }] },
  });
  return [
    of("SessionStart", ...(launch.wake ? ["--wake"] : [])),
    of("SessionEnd"),
    of("UserPromptSubmit"),
    of("Stop"),
    of("SubagentStop"),
    of("PreCompact"),
    // It has no Notification.
    of("PermissionRequest"),
  ];
}

/** `exec`, so that the client is our parent, whose end we can see, and not a shell in between. */
function handler({ parley, options }: Launch, words: readonly string[]): Handler {
  const command = ["exec", quoted(parley), ...words, ...options.map(quoted)].join(" ");
  return { type: "command", command, timeout: TIMEOUT_S };
}

const OURS = /^exec (?:\S*\/parley|'(?:[^']|'\\'')*\/parley') (?:hook [A-Z][A-Za-z]+|wait --rewake)(?: |$)/;

export const isOurs = (handler: unknown): boolean => OURS.test(commandOf(handler));

/** Not ours, but with one of ours somewhere in it. */
export const mentionsOurs = (handler: unknown): boolean =>
  /\/parley'? (?:hook [A-Z]|wait --rewake)/.test(commandOf(handler));

const commandOf = (handler: unknown): string =>
  isObject(handler) && typeof handler.command === "string" ? handler.command : "";

/** The launcher that one of ours calls. */
export const launcherOf = (command: string): string | undefined => {
  const [, plain, inQuotes] = /^exec (?:(\S*\/parley)|'((?:[^']|'\\'')*)') /.exec(command) ?? [];
  return plain ?? inQuotes?.replaceAll("'\\''", "'");
};
