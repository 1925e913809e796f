import { homedir } from "node:os";
import type { Lookup } from "../../tool.ts";
import { visibleLine } from "../../visible.ts";
import { ENTRIES, findEntry, GROUPS } from "../commands.ts";
import type { As } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import type { Client } from "../core/client.ts";
import { COMMON, type Command, defineCommand, flagOf, type Option, type Options } from "../core/command.ts";
import { recover } from "../core/failure.ts";
import { optionNamed } from "../core/parse.ts";
import type { Thing } from "../core/sentence.ts";

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
    const before = words.slice(0, -1);
    const known = await possible(cli.at(placeIn(before)), before, last);
    const candidates = [...new Set(known)].filter((each) => each.startsWith(last));
    await cli.out.result({ candidates }, () => candidates.join("\n"));
  },
});

/** The hub that the command line speaks of is the one that knows what may stand there. */
function placeIn(before: readonly string[]): { home?: string; url?: string; space?: string } {
  const given = (["home", "url", "space"] as const).flatMap((key) => {
    const value = valueIn(before, flagOf(key));
    return value === undefined ? [] : [[key, value.replace(/^~(?=$|\/)/, homedir())]];
  });
  return Object.fromEntries(given);
}

function valueIn(before: readonly string[], flag: string): string | undefined {
  const at = before.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (at < 0) return undefined;
  return before[at] === flag ? before[at + 1] : before[at]?.slice(flag.length + 1);
}

async function possible(cli: Cli, words: readonly string[], last: string): Promise<readonly string[]> {
  const names = ENTRIES.map(({ name }) => name);
  const before = fromCommand(words);
  // The value of an option that stands before the command: a folder, an address.
  if (before === undefined) return [];
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

/** Without the options that stand before it. Undefined while the value of one of those is being typed. */
function fromCommand(words: readonly string[]): readonly string[] | undefined {
  let at = 0;
  for (let word = words[at]; word?.startsWith("-"); word = words[at]) {
    const [, option] = optionNamed(COMMON, word) ?? [];
    at += option && option.type !== "flag" ? 2 : 1;
  }
  return at > words.length ? undefined : words.slice(at);
}

interface CompletionPoint {
  name: string;
  before: readonly string[];
  last: string;
}

async function inside(cli: Cli, command: Command, { name, before, last }: CompletionPoint): Promise<readonly string[]> {
  const options: Options = { ...command.options, ...COMMON };
  const [, option] = optionNamed(options, before.at(-1) ?? "") ?? [];
  const as = "session_id" in command.options ? actingIn(before) : {};
  if (option && option.type !== "flag") return valuesOf(cli, as, { flag: before.at(-1) ?? "", option, last });
  const [, positional] = Object.entries(command.positionals)[0] ?? [];
  if (last.startsWith("-") || !positional) return Object.keys(options).map(flagOf);
  if (name === "completion") return ["bash", "zsh", "fish"];
  const wanted = positional.names ?? WORDS[name];
  return wanted ? named(cli, wanted, as) : [];
}

/** As whom it will act. */
const actingIn = (before: readonly string[]): As => ({
  agent: valueIn(before, "--agent"),
  session_id: valueIn(before, "--session-id"),
});

const MAILS: Lookup = { what: "mail", tool: "mail_inbox", args: { limit: 50 }, list: "messages", latest: [{}] };
const THREADS: Lookup = { ...MAILS, field: "thread_id" };
const AGENTS: Lookup = { what: "agent", tool: "agent_list", list: "agents", field: "name" };
const PEOPLE: Lookup = { what: "person", tool: "people_list", list: "people", field: "name" };
const SPACES: Lookup = { what: "space", tool: "space_list", list: "spaces", field: "space" };
const TOPICS: Lookup = { what: "topic", tool: "mail_topics", list: "topics", field: "topic" };

/** What the words of commands name that were not made of tools. */
const WORDS: Readonly<Record<string, Lookup>> = {
  ...{ read: MAILS, reply: MAILS, thread: MAILS, publish: TOPICS },
  "notice settle": { what: "notice", tool: "need_list", list: "needs", latest: [{}] },
};

interface Wanted {
  flag: string;
  option: Option;
  last: string;
}

async function valuesOf(cli: Cli, as: As, { flag, option, last }: Wanted): Promise<readonly string[]> {
  if ("choices" in option && option.choices) return option.choices;
  if (flag === "--thread") return named(cli, THREADS, as);
  if (flag === "--space") return named(cli, SPACES);
  if (!["--to", "--agent", "--from"].includes(flag)) return [];
  const names = [...(await named(cli, AGENTS)), ...(flag === "--agent" ? [] : await named(cli, PEOPLE))];
  // Several with commas: the last one is being typed.
  const typed = last.slice(0, last.lastIndexOf(",") + 1);
  return [...names, ...(flag === "--agent" ? [] : ["User"])].map((each) => typed + each);
}

/** Quietly nothing when the hub is not there, or does not let us. */
async function named(cli: Cli, lookup: Lookup, as: As = {}): Promise<string[]> {
  const { tool, list, field = "id", before, latest } = lookup;
  const also = (before ?? latest) === undefined ? [] : ["latest"];
  const args = { ...lookup.args, ...latest?.[0] };
  try {
    const isNamed = as.agent !== undefined || as.session_id !== undefined;
    const client = cli.runByAgent === undefined && !isNamed ? cli.find() : await actor(cli, as);
    const answer = await client?.callByName<Record<string, Thing[]>>(tool, args, { timeout_ms: PATIENCE_MS });
    return [...also, ...(answer?.[list] ?? []).map((each) => visibleLine(String(each[field])))];
  } catch (error) {
    return recover(also)(error);
  }
}

/** What an agent runs never asks as the owner of the data folder. */
const actor = async (cli: Cli, as: As): Promise<Client> =>
  (await (await import("../core/acting.ts")).resolveActing(cli, { ...as, start: false, make: false })).client;
