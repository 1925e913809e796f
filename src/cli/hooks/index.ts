import { commonEntry, type Entry, entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  commonEntry(
    "hooks install",
    "let mail reach the sessions of Claude Code or Codex",
    () => import("./hooks.ts"),
    "install",
  ),
  entry("hooks status", "say which hooks are installed", () => import("./hooks.ts"), "status"),
  entry("hooks uninstall", "take the hooks out of a client's settings again", () => import("./hooks.ts"), "uninstall"),
  entry("hook", "answer a hook of an agent's client", () => import("./hook.ts"), "hook"),
];
