import type { Entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  {
    name: "mcp",
    summary: "serve MCP on stdin and stdout, for an agent's configuration",
    common: true,
    load: async () => (await import("./mcp.ts")).mcp,
  },
  {
    name: "mcp-config",
    summary: "print the entry for Parley in a client's MCP settings",
    load: async () => (await import("./config.ts")).mcpConfig,
  },
  {
    name: "mcp-headers",
    summary: "print what Claude Code sends to be its session's agent",
    load: async () => (await import("./headers.ts")).mcpHeaders,
  },
];
