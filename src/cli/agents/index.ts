import { type Entry, entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  entry("agent run", "run an agent: it hears the chat and works with tools", () => import("./run.ts"), "run"),
  entry("trust", "let agents that you run use this folder's .mcp.json", () => import("./trust.ts"), "trust"),
];
