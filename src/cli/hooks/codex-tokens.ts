/** Which MCP servers in Codex's settings say by a token of Parley who their tools are, and which ask the environment for it. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { type FixedToken, readText } from "./fixed-tokens.ts";

export interface CodexServer extends FixedToken {
  /** Null for one that takes PARLEY_TOKEN from the environment, as its hooks do. */
  token: string | null;
}

/** Where Codex keeps its own settings. */
export const codexHome = (): string => resolve(process.env.CODEX_HOME || join(homedir(), ".codex"));

export function codexServers(project: string): CodexServer[] {
  return [join(codexHome(), "config.toml"), join(project, ".codex", "config.toml")].flatMap((path) =>
    serversIn(path, readText(path) ?? ""),
  );
}

/** Those whose tools are another agent than the hooks, which act by the token around them or as the session's own agent. */
export const contradicting = (servers: readonly CodexServer[], token: string | undefined): CodexServer[] =>
  servers.filter((server) => server.token !== null && server.token !== token);

const TABLE = /^\s*\[\s*mcp_servers\.(?:"([^"]+)"|'([^']+)'|([\w-]+))[^\]]*\]/;
const TOKEN = /(?:PARLEY_TOKEN["']?\s*=\s*["']|Bearer\s+)(parley_[\w-]+)/;
const FROM_ENVIRONMENT = /^\s*bearer_token_env_var\s*=\s*["']PARLEY_TOKEN["']/;

/** Line by line, as Codex itself and people write it. */
function serversIn(path: string, toml: string): CodexServer[] {
  let server: string | undefined;
  return toml.split("\n").flatMap((line): CodexServer[] => {
    const [, ...names] = TABLE.exec(line) ?? [];
    if (/^\s*\[/.test(line)) server = names.find((name) => name !== undefined);
    if (server === undefined || /^\s*#/.test(line)) return [];
    if (FROM_ENVIRONMENT.test(line)) return [{ server, path, token: null }];
    const token = TOKEN.exec(line)?.[1];
    return token === undefined ? [] : [{ server, path, token }];
  });
}
