/** What the hub's tools take and give, for the compiler alone: nothing of the hub is loaded for it. */
import type { ToolTypes } from "../../modules/index.ts";

export type { ToolTypes };

export type ToolName = keyof ToolTypes;
export type Input<N extends ToolName> = ToolTypes[N]["input"];
export type Output<N extends ToolName> = ToolTypes[N]["output"];
