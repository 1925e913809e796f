import type { Tools } from "#lib/hub/types.ts";

/** As much of one as a list shows. */
export type TriggerLine = Tools["trigger_board"]["output"]["triggers"][number];
export type TriggerDetails = Tools["trigger_get"]["output"];
export type Trigger = TriggerDetails["trigger"];
export type Run = TriggerDetails["runs"][number];
export type Tried = Tools["trigger_test"]["output"];
