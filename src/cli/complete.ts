import type { Cli } from "./cli.ts";
import type { Client } from "./client.ts";
import { COMMON, type Command, defineCommand, flagOf, type Option, type Options } from "./command.ts";
import { ENTRIES, findEntry, GROUPS } from "./commands.ts";
import { Failure } from "./failure.ts";
import { visibleLine } from "./visible.ts";

/** A person is typing: whoever does not answer by then is not asked again. */
const PATIENCE_MS = 1000;

export const complete = defineCommand({
  examples: ["complete -- send --to sc"],
  details:
    "What may come next on a command line, one a line; the scripts of parley completion ask it. It starts no hub.",
  format: "text",
  positionals: { words: { rest: true, description: "the command line so far, the last word as far as it is typed" } },
  async run(cli, { words }) {
    const last = words.at(-1) ?? "";
    const known = await possible(cli, words.slice(0, -1), last);
    const candidates = [...new Set(known)].filter((each) => each.startsWith(last));
    await cli.out.result({ candidates }, () => candidates.join("\n"));
  },
});

async function possible(cli: Cli, before: readonly string[], last: string): Promise<readonly string[]> {
  const names = ENTRIES.map(({ name }) => name);
  const [first = "", second = ""] = before;
  if (before.length === 0) return [...new Set(names.map((name) => name.split(" ")[0] ?? ""))];
  if (GROUPS.has(first) && before.length === 1)
    return names.filter((name) => name.startsWith(`${first} `)).map((name) => name.slice(first.length + 1));
  const name = GROUPS.has(first) ? `${first} ${second}` : first;
  const entry = findEntry(name);
  if (!entry) return [];
  const command = await entry.load();
  return inside(cli, command, { name, before, last });
}

interface Place {
  name: string;
  before: readonly string[];
  last: string;
}

async function inside(cli: Cli, command: Command, { name, before, last }: Place): Promise<readonly string[]> {
  const options: Options = { ...command.options, ...COMMON };
  const [, option] = optionOf(options, before.at(-1) ?? "") ?? [];
  if (option && option.type !== "flag") return valuesOf(cli, before.at(-1) ?? "", option, last);
  const [, positional] = Object.entries(command.positionals)[0] ?? [];
  if (last.startsWith("-") || !positional) return Object.keys(options).map(flagOf);
  if (name === "completion") return ["bash", "zsh", "fish"];
  if (["subscribe", "unsubscribe", "publish"].includes(name)) return named(cli, "mail_topics", "topics", "topic");
  return name.startsWith("agent ") ? named(cli, "agent_list", "agents", "name") : [];
}

const optionOf = (options: Options, word: string): [string, Option] | undefined =>
  Object.entries(options).find(([key, { short }]) => word === flagOf(key) || (short && word === `-${short}`));

async function valuesOf(cli: Cli, flag: string, option: Option, last: string): Promise<readonly string[]> {
  if ("choices" in option && option.choices) return option.choices;
  if (!["--to", "--agent", "--from"].includes(flag)) return [];
  const names = await named(cli, "agent_list", "agents", "name");
  // Several with commas: the last one is being typed.
  const typed = last.slice(0, last.lastIndexOf(",") + 1);
  return [...names, ...(flag === "--agent" ? [] : ["User"])].map((each) => typed + each);
}

/** Quietly nothing when the hub is not there, or does not let us. */
async function named(cli: Cli, tool: string, list: string, field: string): Promise<string[]> {
  try {
    const client = cli.runByAgent === undefined ? cli.find() : await agentHere(cli);
    const answer = await client?.call<Record<string, Record<string, unknown>[]>>(tool, {}, { timeout_ms: PATIENCE_MS });
    return (answer?.[list] ?? []).map((each) => visibleLine(String(each[field])));
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

/** What an agent runs never asks as the owner of the data folder. */
const agentHere = async (cli: Cli): Promise<Client> =>
  (await (await import("./acting.ts")).resolveActing(cli, { start: false, make: false })).client;
