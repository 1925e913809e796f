import { agents } from "./tools/agents.ts";
import { spaces } from "./tools/spaces.ts";
import { tokens } from "./tools/tokens.ts";

export const tools = [...agents, ...tokens, ...spaces];
