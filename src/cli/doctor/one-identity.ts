import type { Cli } from "../core/cli.ts";
import { projectOf } from "../core/identity-env.ts";
import { codexServers, contradicting } from "../hooks/codex-tokens.ts";
import { fixedTokens } from "../hooks/fixed-tokens.ts";
import type { Installed } from "../hooks/state.ts";
import { type Check, fail, pass, warn } from "./check.ts";

const NAME = "one identity";

/** Hooks make each session an agent of its own. A token that is given beside them makes it another one, or all of them one. */
export function checkOneIdentity(cli: Cli, installed: readonly Installed[]): Check[] {
  const clients = new Set(installed.map(({ client }) => client));
  if (clients.size === 0) return [];
  const found = [...(clients.has("claude") ? ofClaude(cli) : []), ...(clients.has("codex") ? ofCodex(cli) : [])];
  return found.length > 0 ? found : [pass(NAME, "No token makes a session two agents, or two sessions one.")];
}

function ofClaude(cli: Cli): Check[] {
  const again = `claude mcp add-json --scope user parley "$(${cli.line("mcp-config")})"`;
  return [
    ...fixedTokens(projectOf(undefined, cli.io.env)).map(({ server, path }) =>
      fail(NAME, twoAgents(server, path), `claude mcp remove ${server}, then: ${again}`),
    ),
    ...(cli.token
      ? [
          warn(
            NAME,
            "PARLEY_TOKEN is set here: all sessions of Claude Code that are started from here are one agent.",
            "unset PARLEY_TOKEN; where Codex needs it: PARLEY_TOKEN=… codex",
          ),
        ]
      : []),
  ];
}

/** It tells an MCP server nothing about its session: there the token around it says who it is, for hooks and tools alike. */
function ofCodex(cli: Cli): Check[] {
  const servers = codexServers(projectOf(undefined, cli.io.env));
  const again = `Take the token out of it, set PARLEY_TOKEN where Codex is started, and: ${cli.line("mcp-config --client codex")}`;
  const waiting = servers.find(({ token }) => token === null);
  return [
    ...contradicting(servers, cli.token).map(({ server, path }) => fail(NAME, twoAgents(server, path), again)),
    ...(waiting && !cli.token
      ? [
          warn(
            NAME,
            `${waiting.path} has the MCP server ${waiting.server} take PARLEY_TOKEN, which is not set here: a Codex that is started from here has no tools of Parley.`,
            "Start Codex where PARLEY_TOKEN is set.",
          ),
        ]
      : []),
  ];
}

const twoAgents = (server: string, path: string): string =>
  `${path} gives the MCP server ${server} a token, so its tools are another agent than the session's hooks and commands.`;
