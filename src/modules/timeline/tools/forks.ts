import { PEOPLE } from "../../../context.ts";
import { defineTool, type Lookup } from "../../../tool.ts";
import { AGENT } from "../../identity/index.ts";
import { ForkAgent, Forked, RuntimeStatus, SetTools } from "../schema.ts";
import * as service from "../service.ts";

const words = { agent: "which agent" };
const names: Record<string, Lookup> = { agent: AGENT };

export const forkTools = [
  defineTool({
    name: "agent_fork",
    title: "Begin an agent from another's timeline",
    description:
      "Makes a new agent that knows what another knew at an item of its timeline, and nothing of what came after. Its tools are off until agent_tools.",
    roles: PEOPLE,
    facets: ["chat-human"],
    writes: true,
    secret: true,
    commands: [
      {
        name: "agent fork",
        summary: "begin a new agent from a place in another's timeline",
        people: true,
        examples: ["agent fork scout 1763366400000000 scout-2"],
        details:
          "Ids are in: parley timeline NAME. The token is shown this once. Its tools are off: parley agent tools-on NAME",
        words: {
          agent: "whose timeline",
          at_id: "the item up to which it knows everything",
          name: "what the new one is called",
        },
        names,
        shows: { fields: ["agent", "forked_from", "at_id", "token", "in_hub"] },
        id: "agent",
      },
    ],
    input: ForkAgent,
    output: Forked,
    run: service.fork,
  }),
  defineTool({
    name: "agent_tools",
    title: "Let an agent use tools, or not",
    description:
      "Lets an agent use its tools, or has each call answered with a sentence that they are off. It can speak and end its turn all the same.",
    roles: PEOPLE,
    facets: ["chat-human"],
    writes: true,
    commands: [
      {
        name: "agent tools-on",
        summary: "let an agent use its tools",
        people: true,
        examples: ["agent tools-on scout-2"],
        fixed: { on: true },
        words,
        names,
        says: "{agent} may use its tools.",
        id: "agent",
      },
      {
        name: "agent tools-off",
        summary: "have an agent speak only, from its next call on",
        people: true,
        examples: ["agent tools-off scout-2"],
        fixed: { on: false },
        words,
        names,
        says: "The tools of {agent} are off. Again: `agent tools-on {agent}`",
        id: "agent",
      },
    ],
    input: SetTools,
    output: RuntimeStatus,
    run: service.setTools,
  }),
];
