/** Where the clients keep their settings, and how they are to call us. */
import { execFileSync } from "node:child_process";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Cli } from "../core/cli.ts";
import { invalid } from "../core/failure.ts";
import { projectOf } from "../core/identity-env.ts";
import { LAUNCHER } from "../root.ts";
import { codexHome } from "./codex-tokens.ts";
import type { HookClient } from "./events.ts";
import type { Launch } from "./handlers.ts";

export const SCOPES = ["user", "project", "local"] as const;
export type Scope = (typeof SCOPES)[number];

export function settingsPath(client: HookClient, scope: Scope): string {
  const project = (): string => projectOf(undefined, process.env);
  if (client === "codex") {
    if (scope === "local") throw invalid("Codex has no local settings: say --scope user or --scope project.");
    return join(scope === "user" ? codexHome() : join(project(), ".codex"), "hooks.json");
  }
  if (scope === "user") return resolve(process.env.CLAUDE_CONFIG_DIR || join(homedir(), ".claude"), "settings.json");
  return join(project(), ".claude", scope === "project" ? "settings.json" : "settings.local.json");
}

/** A hub that was not the usual one when hooks were installed is the one they are for. */
export function launchFor(cli: Cli, client: HookClient, wake: boolean): Launch & { note: string | undefined } {
  const usual = join(homedir(), ".parley");
  const options = cli.url
    ? ["--url", cli.url]
    : [...(cli.home.path === usual ? [] : ["--home", cli.home.path]), ...(cli.space ? ["--space", cli.space] : [])];
  const why = wake ? cannotWake(client) : "--no-wake was given";
  return {
    parley: LAUNCHER,
    options,
    wake: why === undefined,
    note: why && `Idle sessions will not be woken by mail: ${why}.`,
  };
}

/** Older ones would not run the waiter beside the session, but wait for it: a day. */
const FIRST_REWAKE = [2, 1, 160];

/** Undefined if it can, or if it is not on the PATH and so cannot be asked; it comes with editors, too. */
function cannotWake(client: HookClient): string | undefined {
  if (client === "codex")
    return answer("codex", ["queue", "--help"]) === undefined
      ? "there is no codex here that has `codex queue`"
      : undefined;
  const version = answer("claude", ["--version"]);
  const numbers = version && /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  if (!numbers) return undefined;
  const at = FIRST_REWAKE.findIndex((number, index) => number !== numbers[index]);
  return at >= 0 && (numbers[at] ?? 0) < (FIRST_REWAKE[at] ?? 0)
    ? `Claude Code ${numbers.join(".")} is older than ${FIRST_REWAKE.join(".")}`
    : undefined;
}

function answer(program: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync(program, args, { timeout: 10_000, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    // Not there, or it does not know this: both mean no.
    return undefined;
  }
}
