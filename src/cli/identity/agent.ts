import { resolve } from "node:path";
import { visibleLine } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand } from "../core/command.ts";
import { confirmed, YES } from "../core/confirm.ts";
import { Failure } from "../core/failure.ts";
import { rows } from "../core/fields.ts";

type Agent = Record<string, unknown>;

const COLUMNS = ["name", "type", "state", "default", "project", "branch", "last_seen_at"];

const PHASES: Readonly<Record<string, string>> = {
  idle: "ready",
  sampling: "thinking",
  tools_running: "working",
  waiting_approval: "waiting for approval",
  waiting_input: "waiting for you",
};

/** How it is in one word, as the page says it: what it reported counts only while it is there. */
export function stateOf({ lifecycle, run_phase, presence, last_seen_at }: Agent): string {
  if (lifecycle === "stopped" || lifecycle === "failed") return lifecycle;
  if (last_seen_at === null) return "not seen";
  if (presence === "offline") return "away";
  const words = lifecycle === "ready" ? (PHASES[String(run_phase)] ?? "unknown") : String(lifecycle);
  return presence === "idle" && words === "ready" ? "idle" : words;
}

export const list = defineCommand({
  examples: ["agent list", "agent list --all", "agent list --space sess_review"],
  options: { all: { type: "flag", description: "also those of sessions that have been gone for a week" } },
  async run(cli, { all }) {
    const listed = await cli.call("agent_list", { all });
    await cli.out.result(
      listed,
      () => shown(cli, listed.agents, "There are no agents yet."),
      () => namesOf(listed.agents),
    );
  },
});

export const discover = defineCommand({
  examples: ["agent discover --status active", "agent discover --project /work/shop", "agent discover --name Ocean"],
  details: "What is given has to hold all together.",
  options: {
    status: {
      type: "text",
      value: "STATUS",
      choices: ["active", "idle", "offline"],
      description: "active, idle or offline",
    },
    project: { type: "text", value: "DIR", description: "works in this folder, or below it" },
    name: { type: "text", value: "PART", description: "has this in its name" },
  },
  async run(cli, { status, project, name }) {
    const { agents } = await cli.call("agent_list", { all: true });
    const folder = project && resolve(project);
    const found = agents.filter(
      (agent) =>
        (!status || agent.presence === status) &&
        (!folder || `${agent.project ?? ""}/`.startsWith(`${folder}/`)) &&
        (!name || String(agent.name).toLowerCase().includes(name.toLowerCase())),
    );
    await cli.out.result(
      { agents: found },
      () => shown(cli, found, "There is no such agent."),
      () => namesOf(found),
    );
  },
});

export const remove = defineCommand({
  people: true,
  examples: ["agent delete scout", "agent delete scout --yes", "agent delete scout --dry-run"],
  details: "Its tokens stop working at once, and nobody gets its name again. Its mail stays for people to read.",
  positionals: { name: { required: true, description: "its name" } },
  options: { dry_run: { type: "flag", description: "only say what it would do" }, ...YES },
  async run(cli, { name, dry_run, yes }) {
    if (dry_run) return preview(cli, name);
    const question = `Delete ${visibleLine(name)}? Its tokens end, and nobody gets its name again.`;
    if (!(await confirmed(cli, { yes, question }))) return cli.out.write("Nothing was deleted.");
    const deleted = await cli.call("agent_delete", { name });
    const { forgetAgent } = await import("../core/identity-ensure.ts");
    await forgetAgent(cli, name);
    await cli.out.result(
      deleted,
      () => `Deleted ${visibleLine(name)}. Its name stays taken.`,
      () => [],
    );
  },
});

async function preview(cli: Cli, name: string): Promise<void> {
  const { agents } = await cli.call("agent_list", { all: true });
  const agent = agents.find((agent) => agent.name === name);
  if (!agent)
    throw new Failure(
      "AGENT_NOT_FOUND",
      `There is no agent ${JSON.stringify(name)}. See them all: ${cli.line("agent list")}`,
    );
  await cli.out.result({ dry_run: true, agent }, () => `Would delete ${visibleLine(name)}.`);
}

const namesOf = (agents: readonly Agent[]): string[] => agents.map(({ name }) => visibleLine(String(name)));

const shown = (cli: Cli, agents: readonly Agent[], none: string): string =>
  agents.length > 0
    ? rows(
        cli.out,
        agents.map((agent) => ({ ...agent, state: stateOf(agent) })),
        COLUMNS,
      )
    : `${none}\nNext: ${cli.line("token create --role agent --name scout")}`;
