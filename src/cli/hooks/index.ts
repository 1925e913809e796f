import type { Entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  {
    name: "hooks install",
    summary: "let mail reach the sessions of Claude Code or Codex",
    common: true,
    load: async () => (await import("./hooks.ts")).install,
  },
  {
    name: "hooks status",
    summary: "say which hooks are installed",
    load: async () => (await import("./hooks.ts")).status,
  },
  {
    name: "hooks uninstall",
    summary: "take the hooks out of a client's settings again",
    load: async () => (await import("./hooks.ts")).uninstall,
  },
  {
    name: "hook",
    summary: "answer a hook of an agent's client",
    load: async () => (await import("./hook.ts")).hook,
  },
];
