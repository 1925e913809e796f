import { agentTools } from "./tools/agents.ts";
import { forkTools } from "./tools/forks.ts";
import { runtimeTools } from "./tools/runtime.ts";
import { timelineTools } from "./tools/timeline.ts";

export const tools = [...timelineTools, ...agentTools, ...forkTools, ...runtimeTools];
