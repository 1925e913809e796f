/** Which clients are run, and where they are. What is tested is pinned: a newer one is tried on purpose, by changing this. */
import { homedir } from "node:os";
import { join } from "node:path";

export const PACKAGES = { "@anthropic-ai/claude-code": "2.1.325", "@openai/codex": "0.166.0" } as const;

/** Outside of the checkout: they are large, and do not change with it. */
export const CACHE =
  process.env.PARLEY_CLIENTS_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "parley-clients");

/** An agent that speaks ACP. It runs the Claude Code above, so what it would bring for that itself is left out. */
export const ACP_PACKAGES = { "@agentclientprotocol/claude-agent-acp": "0.99.1" } as const;
const ACP_CACHE = join(CACHE, "acp");

/** What is installed where. */
export const INSTALLED = [
  { folder: CACHE, packages: PACKAGES, options: [] },
  { folder: ACP_CACHE, packages: ACP_PACKAGES, options: ["--omit=optional"] },
] as const;

export const CLAUDE_ACP = join(
  ACP_CACHE,
  "node_modules",
  "@agentclientprotocol",
  "claude-agent-acp",
  "dist",
  "index.js",
);

/** With nothing in it but the clients: what a check runs finds them here, as it would on a person's PATH. */
export const BIN = join(CACHE, "bin");
