import type { Module } from "../../module.ts";
import { tools } from "./tools.ts";

export type { Why } from "./schema.ts";

export const events = { name: "events", servers: [], tools, tables: [] } satisfies Module;
