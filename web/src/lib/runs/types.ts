import type { Tools } from "#lib/hub/types.ts";

export type Run = Tools["run_list"]["output"]["runs"][number];
export type RunDetails = Tools["run_show"]["output"];
