/** What is installed where, and whether it will do. */
import { accessSync, constants } from "node:fs";
import type { Cli } from "../cli.ts";
import { Failure } from "../failure.ts";
import { LAUNCHER } from "../program.ts";
import { CLIENTS, type HookClient } from "./events.ts";
import { type Handler, launcherOf, wanted } from "./handlers.ts";
import { launchFor, SCOPES, type Scope, settingsPath } from "./places.ts";
import { readSettings } from "./settings-file.ts";
import { allDisabled, ours, Unusable } from "./settings-text.ts";

export interface Installed {
  client: HookClient;
  scope: Scope;
  path: string;
  installed: boolean;
  events: string[];
  /** Whether an idle session is told of mail. */
  wakes: boolean;
  problems: string[];
}

export function look(cli: Cli): Installed[] {
  return CLIENTS.flatMap((client) =>
    SCOPES.filter((scope) => client === "claude" || scope !== "local").map((scope) => lookAt(cli, client, scope)),
  );
}

function lookAt(cli: Cli, client: HookClient, scope: Scope): Installed {
  const path = settingsPath(client, scope);
  const none = { client, scope, path, installed: false, events: [], wakes: false };
  try {
    const { text } = readSettings(path);
    const found = ours(text);
    if (found.length === 0) return { ...none, problems: [] };
    const handlers = found.flatMap(({ group }) => group.hooks);
    const events = [...new Set(found.map(({ event }) => event))];
    const wakes = handlers.some(({ command }) => / wait --rewake\b| --wake\b/.test(command));
    const missing = wanted(client, launchFor(cli, client, false))
      .map(({ event }) => event)
      .filter((event) => !events.includes(event));
    const again = `parley hooks install --client ${client} --scope ${scope}`;
    const problems = [
      ...(missing.length > 0 ? [`${missing.join(", ")} missing: ${again}`] : []),
      ...launchers(handlers).flatMap((launcher) => wrongWith(launcher, again)),
      ...(allDisabled(text) ? ["disableAllHooks is set in it, so no hook runs"] : []),
    ];
    return { ...none, installed: true, events, wakes, problems };
  } catch (error) {
    if (error instanceof Unusable || error instanceof Failure) return { ...none, problems: [error.message] };
    throw error;
  }
}

const launchers = (handlers: readonly Handler[]): string[] => [
  ...new Set(handlers.flatMap(({ command }) => launcherOf(command) ?? [])),
];

function wrongWith(launcher: string, again: string): string[] {
  try {
    accessSync(launcher, constants.X_OK);
  } catch {
    return [`${launcher}, which they call, is not there or cannot be run: ${again}`];
  }
  return launcher === LAUNCHER ? [] : [`they call ${launcher}, which is not this Parley: ${again}`];
}
