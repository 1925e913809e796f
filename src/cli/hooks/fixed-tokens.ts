/**
 * Servers in Claude Code's MCP settings that are given a token of Parley: whoever has that token, they are not the
 * session's own agent, which its hooks and commands are. One session would be two.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import { jsonIn } from "../core/io.ts";

export interface FixedToken {
  server: string;
  path: string;
}

/** A settings file larger than this is not read where a session waits for it. */
const MOST_BYTES = 5 * 1024 * 1024;

export function fixedTokens(project: string): FixedToken[] {
  const own = process.env.CLAUDE_CONFIG_DIR
    ? join(process.env.CLAUDE_CONFIG_DIR, ".claude.json")
    : join(homedir(), ".claude.json");
  const shared = join(project, ".mcp.json");
  const settings = read(own);
  const local = at(at(settings, "projects"), project);
  return [
    ...serversIn(settings).map((server) => ({ server, path: own })),
    ...serversIn(local).map((server) => ({ server, path: own })),
    ...serversIn(read(shared)).map((server) => ({ server, path: shared })),
  ];
}

function serversIn(settings: unknown): string[] {
  const servers = at(settings, "mcpServers");
  if (typeof servers !== "object" || servers === null) return [];
  return Object.entries(servers).flatMap(([name, server]) => {
    const token = at(at(server, "env"), "PARLEY_TOKEN") ?? at(at(server, "headers"), "Authorization");
    return typeof token === "string" && /parley_/i.test(token) ? [name] : [];
  });
}

const at = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;

/** Undefined where it is not there, or not to be read by the client either. */
const read = (path: string): unknown => jsonIn(readText(path) ?? "");

/** Undefined where there is none that could be read in time. */
export function readText(path: string): string | undefined {
  const { readFileSync, statSync } = process.getBuiltinModule("node:fs");
  try {
    return statSync(path).size > MOST_BYTES ? undefined : readFileSync(path, "utf8");
  } catch {
    // Not there, or not ours to read.
    return undefined;
  }
}
