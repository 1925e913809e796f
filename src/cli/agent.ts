import { defineCommand } from "./command.ts";
import { fields, rows } from "./fields.ts";
import { visibleLine } from "./visible.ts";

type Agent = Record<string, unknown>;

const COLUMNS = ["name", "type", "lifecycle", "run_phase", "default", "created_at"];

export const list = defineCommand({
  examples: ["agent list", "agent list --space sess_review"],
  async run(cli) {
    const listed = await cli.call<{ agents: Agent[] }>("agent_list", {});
    await cli.out.result(listed, () =>
      listed.agents.length > 0
        ? rows(listed.agents, COLUMNS)
        : `There are no agents yet.\nNext: ${cli.line("token create --role agent --name scout")}`,
    );
  },
});

export const register = defineCommand({
  examples: ["agent register scout", "agent register scout --type bridge"],
  details: "Creating a token for an agent does this too.",
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
  examples: ["agent default scout"],
  positionals: { name: { required: true, description: "its name" } },
  async run(cli, { name }) {
    const answer = await cli.call<object>("agent_default", { name });
    await cli.out.result(answer, () => `People who name no agent now speak to ${visibleLine(name)}.`);
  },
});
