import type { PolicyDocument } from "../src/modules/approvals/schema.ts";
import { type Call, compile, evaluate } from "../src/modules/approvals/service/evaluating.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";

const SIZES = { full: { rules: 1000, calls: 200_000, rounds: 21 }, moment: { rules: 100, calls: 100, rounds: 0 } };

const bounds = { time: { on: "ratio", at_most: 1.5 } } as const;

const NOW = "2027-03-01T08:00:00.000Z";

interface Shape {
  figure: string;
  documentOf: (rules: number) => PolicyDocument;
  /** Of what both documents have rules for, and what none has. */
  asked: readonly Call[];
}

const ELEVEN = Array.from({ length: 11 }, (_, at) => at);

const called = (tool: string, given: unknown): Call => ({
  ...{ agent: "scout", server: "server", tool, arguments: given, hints: [], executes: "runtime" },
});

/** Each rule of a tool of its own, with what it is to be used with. */
const TOOLS: Shape = {
  figure: "time of a decision, a tool a rule",
  documentOf: (rules) => ({
    rules: Array.from({ length: rules }, (_, at) => ({
      tool: `server_tool_${at}`,
      when: { "cmd.0": { in: ["git", "ls", "cat"] } },
      decision: "allow",
    })),
    default: "ask",
  }),
  asked: ELEVEN.map((at) =>
    called(at === 10 ? "other" : `server_tool_${at}`, { cmd: [at % 2 ? "git" : "rm", "status"] }),
  ),
};

const push = (at: number) => ({
  cmd: ["git", "push", "origin", `topic-${at}`],
  cwd: "/work/project",
  env: { CI: "1" },
});

/** As "always allow" makes them: rules of one tool, each for exactly these arguments, some for one agent alone. */
const EXACT: Shape = {
  figure: "time of a decision, exact arguments of one tool",
  documentOf: (rules) => ({
    rules: Array.from({ length: rules }, (_, at) => ({
      tool: "server_exec",
      server: "server",
      ...(at % 2 === 0 && { agent: "scout" }),
      when: { "": { is: push(at) } },
      decision: "allow",
    })),
    default: "ask",
  }),
  asked: ELEVEN.map((at) => called("server_exec", push(at === 10 ? -1 : at))),
};

function timeOf({ documentOf, asked }: Shape, rules: number, calls: number): () => number {
  const policy = compile(documentOf(rules));
  return () => {
    let allowed = 0;
    const start = performance.now();
    for (let n = 0; n < calls; n += 1) {
      // It is one of eleven.
      const call = asked[n % asked.length] as Call;
      if (evaluate(policy, call, NOW).decision === "allow") allowed += 1;
    }
    const time = performance.now() - start;
    if (allowed === 0) throw new Error("nothing was allowed");
    return (time / calls) * 1e6;
  };
}

export const scenario: Scenario = {
  name: "policy",
  measures: "A tool call decided by a policy of 1,000 rules against one of 10",
  bounds,
  async run(effort) {
    const { rules, calls, rounds } = SIZES[effort];
    const figures = [];
    for (const shape of [TOOLS, EXACT]) {
      const pairs = await interleaved(rounds, timeOf(shape, rules, calls), timeOf(shape, 10, calls));
      figures.push(figure(shape.figure, pairs, { unit: "ns", bound: bounds.time }));
    }
    return figures;
  },
};
