import { readFileSync } from "node:fs";
import type { AgentOptions, Definition } from "../../runtime/index.ts";
import { visible, visibleLine } from "../../visible.ts";
import { filesOf } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand, flag, integer, type Options, repeated, type Typed, text } from "../core/command.ts";
import { Failure, invalid, isFailure, reasonOf } from "../core/failure.ts";
import { libraryClient, orFailure, untilInterrupted } from "../core/library.ts";
import { actAs } from "../mcp/role.ts";
import { Mounting, type Servers } from "./mounting.ts";

const DRIVER = {
  driver: text("DRIVER", "what answers for the model", {
    choices: ["scripted", "openai", "anthropic", "acp", "command"],
    default: "scripted",
  }),
  script: text("FILE", "what the scripted driver says"),
  model: text("MODEL", "which model"),
  base_url: text("URL", "another endpoint of the same protocol"),
  api: text("API", "how the openai driver asks: chat completions (default) or responses", {
    choices: ["chat", "responses"],
  }),
  api_key_env: text("NAME", "the variable that holds the key (default OPENAI_API_KEY or ANTHROPIC_API_KEY)"),
  price: text("IN,OUT", "dollars for a million tokens, to record what turns cost"),
} as const satisfies Options;

export const run = defineCommand({
  people: true,
  examples: [
    "agent run scout --script greet.json",
    "agent run scout --script greet.json --facet mail --facet tasks",
    "agent run scout --driver anthropic --model claude-opus-4-5 --price 5,25",
    "agent run scout --driver openai --model qwen3 --base-url http://127.0.0.1:11434/v1",
    "agent run scout --driver openai --api responses --model gpt-5.1-codex --price 1.25,10",
    "agent run scout --script greet.json --mcp-config servers.json --exec .",
    "agent run scout --script greet.json --in-hub",
    "agent run scout --driver acp --env ANTHROPIC_API_KEY -- npx @agentclientprotocol/claude-agent-acp",
    "agent run scout --driver command --client claude --env ANTHROPIC_API_KEY",
    "agent run scout --driver command --in-hub",
    "agent run scout --driver command --client codex --price 1.25,10 -- codex --sandbox workspace-write",
  ],
  details:
    'Runs here until Ctrl-C, and goes on by itself when the hub was away. Whoever starts last runs the agent: an earlier one ends. With --in-hub the hub runs it, again after a restart, until agent stop. With --mcp-config, and with a .mcp.json in this folder that you have trusted (parley trust), it has the tools of these servers, too, as SERVER_TOOL. It reads and answers by itself; whatever else it calls, of the hub too, goes by the policy (parley policy show), which asks people where no rule says otherwise. With --driver acp it is a program that speaks the Agent Client Protocol: it has the hub\'s tools as an MCP server, what it asks permission for is an approval, and it brings its own other tools. With --driver command it is Claude Code or Codex (--client), likewise, in a session of its own that goes on from turn to turn; behind -- may stand how it is started. With --in-hub the program is the one that servers.json in the hub\'s data folder has for the agent ({"agents": {"scout": {"program": {"client": "claude"}}}}). PARLEY_TOKEN may be the agent\'s own token; otherwise one is made, and kept in the data folder. A script is JSON: {"rules":[{"when":"hello","steps":[{"tool":"chat_assistant_post","arguments":{"content":"You said {{text}}"}}]}]}.',
  positionals: {
    name: { required: true, description: "which agent; a new one is made" },
    command: { rest: true, description: "behind --: the program of the acp or command driver, and its arguments" },
  },
  options: {
    ...DRIVER,
    client: text("CLIENT", "which client the command driver runs: claude or codex", { choices: ["claude", "codex"] }),
    env: repeated("NAME", "a variable that the program is to have; may be repeated"),
    timeout: integer("SECONDS", "how long the program may say nothing", {
      ...{ default: 1800, minimum: 1, maximum: 86_400 },
    }),
    account: text("NAME", "whose quota its turns use (default: default)"),
    facet: repeated("FACET", "which tools of the hub it has; may be repeated"),
    compat: text("v1", "also the tools ui_send_message and ui_end_turn", { choices: ["v1"] }),
    mcp_config: repeated("FILE", "servers whose tools it has, too; may be repeated"),
    exec: text("DIR", "have it run programs in this folder"),
    in_hub: flag("have the hub run it"),
  },
  async run(cli, { name, command, client, env, timeout, account, facet, compat, in_hub, mcp_config, exec, ...given }) {
    const common = {
      ...(facet.length > 0 && { facets: facet.flatMap((each) => each.split(",")) }),
      ...(compat && { compat }),
      ...(account !== undefined && { account }),
    };
    const has_servers = mcp_config.length > 0 || exec !== undefined;
    if (given.driver === "acp" || given.driver === "command") {
      const prices = pricesIn(given.price);
      if (in_hub) {
        if (command.length > 0 || env.length > 0 || client || has_servers || compat || account)
          throw invalid(
            "The program of an agent that the hub runs stands in servers.json of its data folder: leave it, --client, --env and --account out, and --mcp-config, --exec and --compat.",
          );
        return inHub(cli, name, await checked({ driver: given.driver, ...common, ...(prices && { price: prices }) }));
      }
      refuseForProgram({ driver: given.driver, command, client, has_servers, compat });
      const { programHere } = await import("./program.ts");
      const program = { client, argv: command, env, timeout, price: prices };
      const driver: MakeDriver = (space) => programHere(cli, program, { agent: name, facets: common.facets, space });
      return here(cli, { agent: name, ...common, driver }, undefined);
    }
    if (command.length > 0 || env.length > 0 || client)
      throw invalid("A program, --client and --env are for --driver acp and --driver command.");
    const definition = await checked({ ...driverIn(given), ...common });
    if (in_hub && has_servers)
      throw invalid(
        "The servers of an agent that the hub runs stand in servers.json of its data folder: leave --mcp-config and --exec out.",
      );
    if (in_hub) return inHub(cli, name, definition);
    const { driverOf, ModelDefinition } = await import("../../runtime/index.ts");
    const driver: MakeDriver = async () => driverOf(ModelDefinition.parse(definition), cli.io.env);
    await here(cli, { agent: name, ...common, driver }, { files: mcp_config, exec });
  },
});

interface ForProgram {
  driver: "acp" | "command";
  command: readonly string[];
  client: string | undefined;
  has_servers: boolean;
  compat: string | undefined;
}

function refuseForProgram({ driver, command, client, has_servers, compat }: ForProgram): void {
  if (driver === "acp" && command.length === 0)
    throw invalid("The acp driver needs a program: agent run NAME --driver acp -- PROGRAM ARGS…");
  if (driver === "acp" && client) throw invalid("--client is for --driver command.");
  if (driver === "command" && !client) throw invalid("The command driver needs --client claude or --client codex.");
  if (has_servers || compat)
    throw invalid("The program brings its own tools: leave --mcp-config, --exec and --compat out.");
}

function readScript(path: string | undefined): unknown {
  if (path === undefined) throw invalid("The scripted driver needs --script FILE.");
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw invalid(`--script ${path}: ${reasonOf(cause)}`, { cause });
  }
}

function driverIn({ driver, script, model, api, price, ...more }: Typed<typeof DRIVER>): object {
  if (api !== undefined && driver !== "openai") throw invalid("--api is for --driver openai.");
  if (driver === "scripted") return { driver, script: readScript(script) };
  if (model === undefined) throw invalid(`The ${driver} driver needs --model MODEL.`);
  return { driver, model, ...more, ...(api !== undefined && { api }), price: pricesIn(price) };
}

function pricesIn(text: string | undefined): { input: number; output: number } | undefined {
  if (text === undefined) return undefined;
  const [input = Number.NaN, output = Number.NaN, more] = text
    .split(",")
    .map((part) => Number(part.trim() || Number.NaN));
  if (Number.isFinite(input) && Number.isFinite(output) && more === undefined) return { input, output };
  throw invalid(`--price ${visible(text)}: name two numbers, such as 3,15.`);
}

async function checked(given: object): Promise<Definition> {
  const { readDefinition } = await import("../../runtime/index.ts");
  const read = readDefinition(given);
  if ("definition" in read) return read.definition;
  throw invalid(read.wrong);
}

async function inHub(cli: Cli, agent: string, definition: Definition): Promise<void> {
  const start = () => cli.call("agent_start", { agent, definition: JSON.stringify(definition) });
  const started = await start().catch(async (error: unknown) => {
    if (!isFailure(error, "AGENT_NOT_FOUND")) throw error;
    await cli.call("agent_register", { name: agent });
    return start();
  });
  await cli.out.result(started, () => `The hub runs ${visibleLine(agent)}, until: agent stop ${visibleLine(agent)}`);
}

type MakeDriver = (space: string | undefined) => Promise<AgentOptions["driver"]>;

interface Wanted {
  agent: string;
  facets?: string[];
  compat?: "v1";
  account?: string;
  driver: MakeDriver;
}

/** `servers` undefined: it brings its own. */
async function here(cli: Cli, { driver, ...agent }: Wanted, servers: Servers | undefined): Promise<void> {
  await using mounting = servers && (await Mounting.open(cli, servers));
  const { runAgent, httpPort } = await import("../../runtime/index.ts");
  const name = visibleLine(agent.agent);
  const { token, space, end: giveBack } = await credential(cli, agent.agent);
  using client = libraryClient(cli, { token, space });
  const stop = untilInterrupted();
  const report = (what: string, error?: unknown): void =>
    cli.out.note(`${what}${error instanceof Error ? `: ${visible(error.message)}` : ""}`);
  try {
    const common = { port: httpPort(client), driver: await driver(space), signal: stop, report };
    if (cli.out.json) await cli.out.data({ agent: agent.agent, pid: process.pid });
    else if (!mounting) cli.out.note(`${name} runs. Ctrl-C ends it.`);
    else cli.out.note(`${name} runs, and asks before it changes anything: parley needs. Ctrl-C ends it.`);
    const around: AgentOptions["around"] =
      mounting && ((tools, changed) => mounting.around(tools, { changed, whose: { agent: agent.agent, space } }));
    const end = await runAgent({ ...agent, ...common, ...(around && { around }) });
    if (end === "superseded") cli.out.note(`${name} is run elsewhere from now on.`);
  } catch (error) {
    if (stop.aborted) return;
    throw orFailure(error);
  } finally {
    await giveBack();
  }
}

interface Credential {
  token: string;
  space: string | undefined;
  /** Takes back what was made for this run alone. */
  end: () => Promise<unknown>;
}

/** As the agent itself: by its own token, or by one that is made with the data folder's or with an administrator's. */
async function credential(cli: Cli, name: string): Promise<Credential> {
  if (!cli.token) {
    const { target } = await actAs(cli, await filesOf(cli), { role: "agent", name, session_key: undefined });
    const { token = "", space } = target;
    return { token, space, end: async () => {} };
  }
  const me = await cli.call("whoami", {});
  const { space } = me;
  if (me.agent === name) return { token: cli.token, space, end: async () => {} };
  if (!me.roles.includes("admin"))
    throw new Failure("FORBIDDEN", `PARLEY_TOKEN is ${me.principal}'s. Set it to a token of ${name}, or leave it out.`);
  const { id, token } = await cli.call("token_create", {
    role: "agent",
    name,
    space,
    label: "parley agent run",
    exact: true,
  });
  return { token, space, end: () => cli.call("token_revoke", { id }) };
}
