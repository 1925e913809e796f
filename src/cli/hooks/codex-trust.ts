/** Codex runs a hook only if a person has looked at exactly this one: it keeps a hash of each in its config.toml. */
import { hash } from "node:crypto";
import { join } from "node:path";
import { readIfThere } from "../../local/files.ts";
import { codexHome } from "./codex-tokens.ts";
import type { Found } from "./settings-text.ts";

/** The events of those that Codex would not run. */
export function untrusted(settings_path: string, groups: readonly Found[]): string[] {
  const states = statesIn(config());
  const isTrusted = ({ event, group, at }: Found): boolean =>
    group.hooks.every((handler, index) => {
      const name = event.replace(/(?<!^)[A-Z]/g, "_$&").toLowerCase();
      const state = states.get(`${settings_path}:${name}:${at}:${index}`);
      const identity = { event_name: name, hooks: [{ async: false, ...handler }], matcher: group.matcher };
      return (
        state?.trusted_hash === `sha256:${hash("sha256", canonical(identity), "hex")}` && state.enabled !== "false"
      );
    });
  return [...new Set(groups.filter((group) => !isTrusted(group)).map(({ event }) => event))];
}

const config = (): string => readIfThere(join(codexHome(), "config.toml")) ?? "";

/** The tables `[hooks.state."KEY"]`, as Codex itself writes them. */
function statesIn(toml: string): Map<string, Record<string, string>> {
  const states = new Map<string, Record<string, string>>();
  let state: Record<string, string> | undefined;
  for (const line of toml.split("\n")) {
    const [, key] = /^\s*\[hooks\.state\.("(?:[^"\\]|\\.)*")\]\s*$/.exec(line) ?? [];
    if (/^\s*\[/.test(line)) state = key === undefined ? undefined : {};
    if (state && key !== undefined) states.set(unquoted(key), state);
    const [, name, value] = /^\s*(\w+)\s*=\s*"?([^"]*?)"?\s*$/.exec(line) ?? [];
    if (state && name !== undefined && value !== undefined) state[name] = value;
  }
  return states;
}

/** TOML escapes as JSON does, where a path is concerned. */
function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

/** JSON with its keys sorted: what Codex hashes (0.166). */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
