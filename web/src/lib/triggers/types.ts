import type { Tools } from "#lib/hub/types.ts";

export type Trigger = Tools["trigger_list"]["output"]["triggers"][number];
export type TriggerDetails = Tools["trigger_get"]["output"];
export type Run = TriggerDetails["runs"][number];
export type Tried = Tools["trigger_test"]["output"];
