/** Which servers' tools an agent's model has, as other clients write it down too: `{"mcpServers": {NAME: {…}}}`. */
import { z } from "zod";

/** A part of the names that its tools have for the model. None is one that every object has, such as `__proto__`. */
const NAME = /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,39}$/;
const MOST_SERVERS = 50;

const timeout = z.int().min(100).max(3_600_000).optional();
const texts = z.record(z.string(), z.string());

const Program = z.object({
  type: z.literal("stdio").default("stdio"),
  command: z.string().min(1).max(4096),
  args: z.array(z.string()).max(500).default([]),
  env: texts.default({}),
  cwd: z.string().optional(),
  timeout,
});

const Address = z.object({
  type: z.enum(["http", "streamable-http", "sse"]).default("http"),
  url: z.url({ protocol: /^https?$/, error: "this is no http or https address" }),
  headers: texts.default({}),
  auth: z.string().min(1).optional(),
  timeout,
});

/** A program to start, or an address to call. What other clients say beside is theirs. */
export type ServerSpec = z.infer<typeof Program> | z.infer<typeof Address>;

export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** What a file says. Throws with a sentence that names the place. */
export const parseServers = (text: string): Map<string, ServerSpec> => serversIn(parsed(text), "The file");

/** The same of what was parsed already, and stands at that place. */
export function serversIn(value: unknown, place: string): Map<string, ServerSpec> {
  const servers = objectOf(objectOf(value, place).mcpServers, "mcpServers");
  const names = Object.keys(servers);
  if (names.length > MOST_SERVERS) throw new ConfigError(`These are ${names.length} servers; at most ${MOST_SERVERS}.`);
  return new Map(names.map((name) => [checked(name), specOf(name, servers[name])]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`This is no JSON: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ConfigError(`${what} is no JSON object.`);
}

function checked(name: string): string {
  if (NAME.test(name)) return name;
  throw new ConfigError(
    `${JSON.stringify(name.slice(0, 80))} is no name for a server: at most 40 letters, digits, - and _, the first a letter or digit.`,
  );
}

function specOf(name: string, value: unknown): ServerSpec {
  const given = objectOf(value, name);
  if (Object.hasOwn(given, "command") === Object.hasOwn(given, "url"))
    throw new ConfigError(`${name}: name either a command or a url.`);
  const read = (Object.hasOwn(given, "command") ? Program : Address).safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new ConfigError(`${[name, ...(issue?.path ?? [])].join(".")}: ${issue?.message ?? "it does not fit"}.`);
}
