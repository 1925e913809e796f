import { whilePosting } from "./support/posting.ts";
import { figure } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";

const SIZES = { full: { requests: 2000, rounds: 21 }, moment: { requests: 100, rounds: 0 } };

const bounds = { cpu: { on: "ratio", at_most: 3 } } as const;

export const scenario: Scenario = {
  name: "http",
  measures:
    "POST /api/tools/chat_human_post on 64 keep-alive connections: the server's CPU a request, against a bare node:http server that parses and answers the same JSON",
  bounds,
  async run(effort) {
    const { requests, rounds } = SIZES[effort];
    const pairs = await whilePosting(rounds, (load) => load.cpu(requests));
    return [figure("CPU a request", pairs, { unit: "µs", bound: bounds.cpu })];
  },
};
