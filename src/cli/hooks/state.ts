/** What is installed where, and whether it will do. */
import { accessSync, constants, statSync } from "node:fs";
import type { Cli } from "../core/cli.ts";
import { Failure } from "../core/failure.ts";
import { LAUNCHER } from "../root.ts";
import { untrusted } from "./codex-trust.ts";
import { CLIENTS, type HookClient } from "./events.ts";
import { type Handler, launcherOf, type Wanted, wanted } from "./handlers.ts";
import { lastRan } from "./ran.ts";
import { readSettings } from "./settings-file.ts";
import { launchFor, SCOPES, type Scope, settingsPath } from "./settings-paths.ts";
import { allDisabled, altered, differing, type Found, ours, Unusable } from "./settings-text.ts";

/** An administrator's, over everybody's own. */
const MANAGED = "/etc/claude-code/managed-settings.json";

export interface Installed {
  client: HookClient;
  scope: Scope;
  path: string;
  installed: boolean;
  events: string[];
  /** Whether an idle session is told of mail. */
  wakes: boolean;
  problems: string[];
  /** What to do about the first of them. */
  advice: string | null;
  /** When a session last called them as they are now; null if none did. */
  called_at: string | null;
}

interface Problem {
  message: string;
  advice: string;
}

export function look(cli: Cli): Installed[] {
  return CLIENTS.flatMap((client) =>
    SCOPES.filter((scope) => client === "claude" || scope !== "local").map((scope) => lookAt(cli, client, scope)),
  );
}

function lookAt(cli: Cli, client: HookClient, scope: Scope): Installed {
  const path = settingsPath(client, scope);
  const none = { client, scope, path, installed: false, events: [], wakes: false, advice: null, called_at: null };
  const again = cli.line(`hooks install --client ${client} --scope ${scope}`);
  try {
    const { text, target } = readSettings(path);
    const found = ours(text);
    if (found.length === 0 && altered(text).length === 0) return { ...none, problems: [] };
    const handlers = found.flatMap(({ group }) => group.hooks);
    const events = [...new Set(found.map(({ event }) => event))];
    const wakes = handlers.some(({ command }) => / wait --rewake\b| --wake\b/.test(command));
    const meant = wanted(client, { ...launchFor(cli, client, false), wake: wakes });
    const problems = [
      ...alterations(text, { path, again }),
      ...[...differences(text, meant), ...launchers(handlers).flatMap(wrongWith)].map(
        (message): Problem => ({ message, advice: again }),
      ),
      ...(client === "claude" ? disabling() : distrusted(target, found)),
    ];
    return {
      ...none,
      installed: true,
      events,
      wakes,
      problems: problems.map(({ message }) => message),
      advice: problems[0]?.advice ?? null,
      called_at: calledSince(cli, client, target),
    };
  } catch (error) {
    if (error instanceof Unusable || error instanceof Failure)
      return { ...none, problems: [error.message], advice: `Put the file right, then: ${cli.line("hooks status")}` };
    throw error;
  }
}

/** Since the settings were last written: before that they may have been others. */
function calledSince(cli: Cli, client: HookClient, path: string): string | null {
  const called = lastRan(cli.home.path, client);
  return called && called >= statSync(path).mtime ? called.toISOString() : null;
}

/** Installing anew leaves what is not ours, so whoever reads this has to take it out. */
const alterations = (text: string, { path, again }: { path: string; again: string }): Problem[] =>
  altered(text).map(({ event, command }) => ({
    message: `somebody changed the hook of ${event}, which is now: ${command}`,
    advice: `Take that hook out of ${path}, then: ${again}`,
  }));

/** Only what is exactly as we would write it is known to do what ours do. */
function differences(text: string, meant: Wanted): string[] {
  const there = new Set(ours(text).map(({ event }) => event));
  const { changed = [], gone = [] } = Object.groupBy(differing(text, meant), (event) =>
    there.has(event) ? "changed" : "gone",
  );
  return [
    ...(gone.length > 0 ? [`${gone.join(", ")} missing`] : []),
    ...(changed.length > 0 ? [`${changed.join(", ")} not as this Parley installs for this hub`] : []),
  ];
}

/** Any of them counts for all. */
function disabling(): Problem[] {
  const paths = [...SCOPES.map((scope) => settingsPath("claude", scope)), MANAGED];
  return paths.filter(disables).map((path) => ({
    message: `${path} lets no hook run`,
    advice: "Take disableAllHooks or allowManagedHooksOnly out of it.",
  }));
}

function disables(path: string): boolean {
  try {
    return allDisabled(readSettings(path).text);
  } catch (error) {
    // What the client cannot read either disables nothing; it is reported where it stands.
    if (error instanceof Unusable || error instanceof Failure) return false;
    throw error;
  }
}

function distrusted(path: string, found: readonly Found[]): Problem[] {
  const events = untrusted(path, found);
  if (events.length === 0) return [];
  const message = `Codex does not trust ${events.join(", ")} yet, so it does not run them`;
  return [{ message, advice: "Open Codex, say /hooks, look at them and trust them." }];
}

const launchers = (handlers: readonly Handler[]): string[] => [
  ...new Set(handlers.flatMap(({ command }) => launcherOf(command) ?? [])),
];

function wrongWith(launcher: string): string[] {
  try {
    accessSync(launcher, constants.X_OK);
  } catch {
    return [`${launcher}, which they call, is not there or cannot be run`];
  }
  return launcher === LAUNCHER ? [] : [`they call ${launcher}, which is not this Parley`];
}
