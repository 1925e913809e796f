import type { Cli } from "../core/cli.ts";
import { defineCommand, integer, repeated, text } from "../core/command.ts";
import { invalid } from "../core/failure.ts";
import { parseJson, readStdin } from "../core/io.ts";
import { isThing } from "../core/sentence.ts";

export const call = defineCommand({
  examples: [
    "call chat_read_since --arg limit=5",
    `call chat_human_post '{"content":"hello"}'`,
    "call chat_human_post --arg content=hello --key greeting-1",
    "call chat_human_post - < message.json",
    `call exec '{"cmd":["date"]}' --agent scout --server runtime`,
  ],
  details:
    "Arguments are a JSON object, from stdin with -, and --arg adds to it: name=value as the tool takes it, or name:=JSON. With --agent and --server it is a tool of a server that the agent's runtime has mounted, under the policy: somebody else may have to approve it.",
  positionals: {
    tool: { required: true, description: "name of the tool" },
    args: { description: "its arguments as a JSON object, or - to read them from stdin" },
  },
  options: {
    arg: repeated("K=V", "one argument: name=value or name:=JSON; may be repeated"),
    key: text("KEY", "idempotency key: the same key never does it twice"),
    agent: text("NAME", "the agent whose runtime has mounted the server"),
    server: text("SERVER", "the server, with --agent"),
    timeout: integer("S", "seconds to wait", { default: 120, minimum: 1, maximum: 86_400 }),
  },
  async run(cli, { tool, args, arg, key, timeout, agent, server }) {
    const given = parseObject(args === "-" ? await readStdin(cli.io) : args);
    if (agent !== undefined || server !== undefined) {
      if (agent === undefined || server === undefined) throw invalid("--agent and --server belong together.");
      // What the tool takes is known to its server alone, so texts are texts.
      const all = { ...given, ...(await parseArgs(arg, async () => undefined)) };
      const { callServer } = await import("./call-server.ts");
      return callServer(cli, { agent, server, tool, arguments: all, key }, timeout);
    }
    const whole = { ...given, ...(await parseArgs(arg, () => texts(cli, tool))) };
    const output = await cli.callByName<object>(tool, whole, { key, timeout_ms: timeout * 1000 });
    await cli.out.result(output, () => JSON.stringify(output, null, 2));
  },
});

function parseObject(text: string | undefined): object {
  if (!text) return {};
  const value = parseJson(text, "The arguments are");
  if (isThing(value)) return value;
  throw invalid(`The arguments must be a JSON object such as {"content":"hello"}.`);
}

/**
 * `name:=JSON` is what it says. `name=value` is text, unless it looks like something else and
 * the tool takes no text there: then `limit=5` is a number, and `content=5` still is not.
 */
export async function parseArgs(
  args: readonly string[],
  texts: () => Promise<ReadonlySet<string> | undefined>,
): Promise<Record<string, unknown>> {
  const parsed: Record<string, unknown> = {};
  for (const arg of args) {
    const [, name, json, text] = /^([^:=\s]+)(:)?=([\s\S]*)$/.exec(arg) ?? [];
    if (!name || text === undefined) throw invalid(`--arg takes name=value or name:=JSON, not ${JSON.stringify(arg)}.`);
    const isJson = json || (/^(-?\d|[[{]|true$|false$|null$)/.test(text) && (await texts())?.has(name) === false);
    parsed[name] = isJson ? parseJson(text, `The value of ${name} is`) : text;
  }
  return parsed;
}

const texts = async (cli: Cli, tool: string): Promise<ReadonlySet<string> | undefined> =>
  textProperties((await (await cli.connect()).get("/openapi.json")).body, tool);

interface Schema {
  type?: string;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
}

interface OpenApi {
  paths?: Record<string, { post?: { requestBody?: { content?: Record<string, { schema?: Schema }> } } }>;
}

/** Which arguments of a tool may be text, by the hub's own description; undefined if it describes no such tool. */
export function textProperties(document: unknown, tool: string): ReadonlySet<string> | undefined {
  // Every step is optional: whatever else it is, nothing is found in it.
  const { paths } = (document ?? {}) as OpenApi;
  const schema = paths?.[`/api/tools/${tool}`]?.post?.requestBody?.content?.["application/json"]?.schema;
  if (!schema?.properties) return undefined;
  const names = Object.entries(schema.properties).flatMap(([name, property]) => (takesText(property) ? [name] : []));
  return new Set(names);
}

const takesText = (schema: Schema): boolean => schema.type === "string" || (schema.anyOf?.some(takesText) ?? false);
