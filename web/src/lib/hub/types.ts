import type { GlanceTypes, ToolTypes } from "../../../../src/modules/index.ts";

export type Tools = ToolTypes;
/** What of each module every page shows, by the name of the part. */
export type GlanceParts = GlanceTypes;
export type Agent = ToolTypes["agent_list"]["output"]["agents"][number];
export type Message = ToolTypes["chat_read_since"]["output"]["messages"][number];
export type Token = ToolTypes["token_list"]["output"]["tokens"][number];
