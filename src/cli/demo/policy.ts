/** What the demo does without asking, as rules of the policy like any other: people see them there, and they go with it. */
import type { Cli } from "../core/cli.ts";
import { recover } from "../core/failure.ts";

/** Beside reading and speaking; nothing that could not be taken away again. What it runs it asks for. */
const DOES = ["add_question", "task_create"];
const REASON = "parley demo";

interface Rule {
  tool?: unknown;
  reason?: unknown;
  agent?: unknown;
}

/** Behind every rule that is there already: what people have denied stays denied. */
export const allowDemo = (cli: Cli, agent: string): Promise<void> =>
  changePolicy(cli, "what the demo does", (rules) => [
    ...rules.filter((rule) => !isOurs(rule, agent)),
    ...DOES.map((tool) => ({ tool, server: "parley", agent, decision: "allow", reason: REASON })),
  ]);

export const forgetDemo = (cli: Cli, agent: string): Promise<void> =>
  changePolicy(cli, "the demo is gone", (rules) => rules.filter((rule) => !isOurs(rule, agent)));

const isOurs = (rule: Rule, agent: string): boolean => rule.reason === REASON && rule.agent === agent;

/** Again where somebody else has changed it meanwhile; not at all where it is as it should be. */
async function changePolicy(cli: Cli, note: string, change: (rules: Rule[]) => Rule[]): Promise<void> {
  for (;;) {
    const { document, version } = await cli.call("policy_get", {});
    // As the hub checked it when it was set.
    const before = document as { rules: Rule[] };
    const rules = change(before.rules);
    if (JSON.stringify(rules) === JSON.stringify(before.rules)) return;
    try {
      await cli.call("policy_set", { document: { ...before, rules }, expected_version: version, note });
      return;
    } catch (error) {
      recover(undefined, "VERSION_CONFLICT")(error);
    }
  }
}
