import type { PolicyDocument } from "../src/modules/approvals/schema.ts";
import { compile, evaluate, type Policy } from "../src/modules/approvals/service/evaluating.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";

const SIZES = { full: { rules: 1000, calls: 200_000, rounds: 21 }, moment: { rules: 100, calls: 100, rounds: 0 } };

const bounds = { time: { on: "ratio", at_most: 1.5 } } as const;

const NOW = "2027-03-01T08:00:00.000Z";

/** Each rule of a tool of its own, as people have them, with what it is to be used with. */
const documentOf = (rules: number): PolicyDocument => ({
  rules: Array.from({ length: rules }, (_, at) => ({
    tool: `server_tool_${at}`,
    when: { "cmd.0": { in: ["git", "ls", "cat"] } },
    decision: "allow",
  })),
  default: "ask",
});

/** Of ten tools that both documents have rules for, and one that none has. */
function timeOf(policy: Policy, calls: number): number {
  const asked = Array.from({ length: 11 }, (_, at) => ({
    ...{ agent: "scout", server: "server", tool: at === 10 ? "other" : `server_tool_${at}` },
    ...{ arguments: { cmd: [at % 2 ? "git" : "rm", "status"] }, hints: [], executes: "runtime" as const },
  }));
  let allowed = 0;
  const start = performance.now();
  for (let n = 0; n < calls; n += 1) {
    // It is one of eleven.
    const call = asked[n % 11] as (typeof asked)[number];
    if (evaluate(policy, call, NOW).decision === "allow") allowed += 1;
  }
  const time = performance.now() - start;
  if (allowed === 0) throw new Error("nothing was allowed");
  return (time / calls) * 1e6;
}

export const scenario: Scenario = {
  name: "policy",
  measures: "A tool call decided by a policy of 1,000 rules against one of 10",
  bounds,
  async run(effort) {
    const { rules, calls, rounds } = SIZES[effort];
    const [many, few] = [compile(documentOf(rules)), compile(documentOf(10))];
    const pairs = await interleaved(
      rounds,
      () => timeOf(many, calls),
      () => timeOf(few, calls),
    );
    return [figure("time of a decision", pairs, { unit: "ns", bound: bounds.time })];
  },
};
