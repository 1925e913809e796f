import type { Module } from "../module.ts";
import { chat } from "./chat/index.ts";
import { identity } from "./identity/index.ts";

/** Lowest first. A module is a folder beside these and one line here. */
export const MODULES: readonly Module[] = [identity, chat];
