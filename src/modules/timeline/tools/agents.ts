import { ADMINS, PEOPLE, READERS } from "../../../context.ts";
import { defineTool, type Lookup } from "../../../tool.ts";
import { AGENT } from "../../identity/index.ts";
import { CallServer, RuntimeOf, RuntimeStatus, ServerCalled, StartAgent } from "../schema.ts";
import * as service from "../service.ts";

const words = { agent: "which agent" };
const names: Record<string, Lookup> = { agent: AGENT };
const facets = ["admin"] as const;
const common = { input: RuntimeOf, output: RuntimeStatus };
const FIELDS = [
  "agent",
  "lifecycle",
  "run_phase",
  "driver",
  "generation",
  "in_hub",
  "tools_off_at",
  "forked_from",
  "paused_at",
  "paused_by",
];

/** What people do to an agent that a runtime runs. */
export const agentTools = [
  defineTool({
    name: "agent_status",
    title: "How an agent is",
    description: "Tells how an agent and its runtime are: what it is doing, its last turn, the servers it has mounted.",
    roles: READERS,
    facets: ["chat-human"],
    commands: [
      {
        name: "agent status",
        summary: "see how an agent and what runs it are",
        examples: ["agent status scout"],
        words,
        names,
        shows: { fields: FIELDS },
        id: "agent",
      },
    ],
    ...common,
    run: service.status,
  }),
  defineTool({
    name: "agent_abort",
    title: "Abort an agent's turn",
    description: "Ends the turn an agent is at, whatever it is doing in it. It hears the next message as ever.",
    roles: PEOPLE,
    facets: ["chat-human"],
    writes: true,
    commands: [
      {
        name: "agent abort",
        summary: "end the turn an agent is at",
        people: true,
        examples: ["agent abort scout"],
        words,
        names,
        says: "The turn of {agent} is being ended.",
        id: "agent",
      },
    ],
    ...common,
    run: service.abort,
  }),
  defineTool({
    name: "agent_pause",
    title: "Pause an agent",
    description:
      "Has an agent begin no turn, and ask its model nothing more in the one it is at, until it is resumed. What is said to it meanwhile waits.",
    roles: PEOPLE,
    facets: ["chat-human"],
    writes: true,
    commands: [
      {
        name: "agent pause",
        summary: "have an agent wait until it is resumed",
        people: true,
        examples: ["agent pause scout"],
        words,
        names,
        says: "{agent} is paused. Go on: `agent resume {agent}`",
        id: "agent",
      },
    ],
    ...common,
    run: service.pause,
  }),
  defineTool({
    name: "agent_resume",
    title: "Resume an agent",
    description:
      "Has a paused agent go on. One that is not paused and has no turn begins one by itself, with what came of the last one since.",
    roles: PEOPLE,
    facets: ["chat-human"],
    writes: true,
    commands: [
      {
        name: "agent resume",
        summary: "have an agent go on, or begin a turn by itself",
        people: true,
        examples: ["agent resume scout"],
        words,
        names,
        says: "{agent} goes on.",
        id: "agent",
      },
    ],
    ...common,
    run: service.resume,
  }),
  defineTool({
    name: "agent_call",
    title: "Call a server of an agent",
    description:
      "Calls a tool of a server that an agent's runtime has mounted, under the policy: where that says to ask, somebody else approves it first. Returns what the tool gave, or how it is when the time is over; ask again with the same key then.",
    roles: PEOPLE,
    facets: ["chat-human"],
    writes: true,
    waits: { isPending: ({ state }) => state !== "completed", place: ({ key }) => key },
    input: CallServer,
    output: ServerCalled,
    run: service.callServer,
  }),
  defineTool({
    name: "agent_start",
    title: "Have the hub run an agent",
    description:
      "Has the hub itself run an agent by a definition, and again after each restart, until agent_stop. Takes the place of whatever runs it now.",
    roles: ADMINS,
    facets,
    writes: true,
    input: StartAgent,
    output: RuntimeStatus,
    run: service.startInHub,
  }),
  defineTool({
    name: "agent_stop",
    title: "Have the hub no longer run an agent",
    description: "Ends an agent that the hub itself runs. It can be started again, here or elsewhere.",
    roles: ADMINS,
    facets,
    writes: true,
    commands: [
      {
        name: "agent stop",
        summary: "have the hub no longer run an agent",
        people: true,
        examples: ["agent stop scout"],
        words,
        names,
        says: "The hub no longer runs {agent}.",
        id: "agent",
      },
    ],
    ...common,
    run: service.stopInHub,
  }),
];
