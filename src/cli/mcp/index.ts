import { commonEntry, type Entry, entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  commonEntry("mcp", "serve MCP on stdin and stdout, for an agent's configuration", () => import("./mcp.ts"), "mcp"),
  entry(
    "mcp-config",
    "print the entry for Parley in a client's MCP settings",
    () => import("./config.ts"),
    "mcpConfig",
  ),
  entry(
    "mcp-headers",
    "print what Claude Code sends to be its session's agent",
    () => import("./headers.ts"),
    "mcpHeaders",
  ),
];
