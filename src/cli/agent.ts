import { resolve } from "node:path";
import type { Cli } from "./cli.ts";
import { defineCommand } from "./command.ts";
import { Failure } from "./failure.ts";
import { fields, rows } from "./fields.ts";
import { visibleLine } from "./visible.ts";

type Agent = Record<string, unknown>;

const COLUMNS = ["name", "type", "presence", "lifecycle", "run_phase", "default", "project", "branch", "last_seen_at"];

export const list = defineCommand({
  examples: ["agent list", "agent list --all", "agent list --space sess_review"],
  options: { all: { type: "flag", description: "also those of sessions that have been gone for a week" } },
  async run(cli, { all }) {
    const listed = await cli.call<{ agents: Agent[] }>("agent_list", { all });
    await cli.out.result(listed, () => shown(cli, listed.agents, "There are no agents yet."));
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
    const { agents } = await cli.call<{ agents: Agent[] }>("agent_list", { all: true });
    const folder = project && resolve(project);
    const found = agents.filter(
      (agent) =>
        (!status || agent.presence === status) &&
        (!folder || `${agent.project ?? ""}/`.startsWith(`${folder}/`)) &&
        (!name || String(agent.name).toLowerCase().includes(name.toLowerCase())),
    );
    await cli.out.result({ agents: found }, () => shown(cli, found, "There is no such agent."));
  },
});

export const remove = defineCommand({
  people: true,
  examples: ["agent delete scout", "agent delete scout --dry-run"],
  details: "Its tokens stop working at once, and nobody gets its name again. Its mail stays for people to read.",
  positionals: { name: { required: true, description: "its name" } },
  options: { dry_run: { type: "flag", description: "only say what it would do" } },
  async run(cli, { name, dry_run }) {
    if (dry_run) return preview(cli, name);
    const deleted = await cli.call<object>("agent_delete", { name });
    const { forgetAgent } = await import("./identity-ensure.ts");
    await forgetAgent(cli, name);
    await cli.out.result(deleted, () => `Deleted ${visibleLine(name)}. Its name stays taken.`);
  },
});

async function preview(cli: Cli, name: string): Promise<void> {
  const { agents } = await cli.call<{ agents: Agent[] }>("agent_list", { all: true });
  const agent = agents.find((agent) => agent.name === name);
  if (!agent)
    throw new Failure("AGENT_NOT_FOUND", `There is no agent ${JSON.stringify(name)}. See them all: parley agent list`);
  await cli.out.result({ dry_run: true, agent }, () => `Would delete ${visibleLine(name)}.`);
}

const shown = (cli: Cli, agents: readonly Agent[], none: string): string =>
  agents.length > 0 ? rows(agents, COLUMNS) : `${none}\nNext: ${cli.line("token create --role agent --name scout")}`;

export const register = defineCommand({
  people: true,
  examples: ["agent register scout", "agent register scout --type bridge"],
  details: "Creating a token for an agent does this too. For a session, see: parley help identity ensure",
  positionals: { name: { required: true, description: "its name" } },
  options: {
    type: { type: "text", value: "TYPE", choices: ["local", "ui", "bridge"], description: "local, ui or bridge" },
  },
  async run(cli, { name, type }) {
    const agent = await cli.call<Agent>("agent_register", { name, ...(type && { type }) });
    await cli.out.result(agent, () => `${visibleLine(name)} is known.\n${fields(agent)}`);
  },
});

export const setDefault = defineCommand({
  people: true,
  examples: ["agent default scout"],
  positionals: { name: { required: true, description: "its name" } },
  async run(cli, { name }) {
    const answer = await cli.call<object>("agent_default", { name });
    await cli.out.result(answer, () => `People who name no agent now speak to ${visibleLine(name)}.`);
  },
});
