import { commonEntry, type Entry, entry } from "../core/command.ts";

const hooks = () => import("./hooks.ts");

export const COMMANDS: readonly Entry[] = [
  commonEntry("hooks install", "let mail reach the sessions of Claude Code or Codex", hooks, "install"),
  entry("hooks status", "say which hooks are installed", hooks, "status"),
  entry("hooks uninstall", "take the hooks out of a client's settings again", hooks, "uninstall"),
  entry("hook", "answer a hook of an agent's client", () => import("./hook.ts"), "hook"),
];
