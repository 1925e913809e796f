import type { Module } from "../module.ts";
import { approvals } from "./approvals/index.ts";
import { chat } from "./chat/index.ts";
import { delivery } from "./delivery/index.ts";
import { events } from "./events/index.ts";
import { identity } from "./identity/index.ts";
import { mail } from "./mail/index.ts";
import { notices } from "./notices/index.ts";
import { questions } from "./questions/index.ts";
import { runs } from "./runs/index.ts";
import { tasks } from "./tasks/index.ts";
import { timeline } from "./timeline/index.ts";
import { triggers } from "./triggers/index.ts";
import { workspace } from "./workspace/index.ts";

/** Lowest first. A module is a folder beside these and one line here. */
const ALL = [
  identity,
  delivery,
  events,
  notices,
  chat,
  mail,
  workspace,
  questions,
  approvals,
  tasks,
  runs,
  triggers,
  timeline,
] as const;
export const MODULES: readonly Module[] = ALL;

/** What each part of `space_glance` holds, by its name. */
export type GlanceTypes = {
  [G in Extract<(typeof ALL)[number], { glance: unknown }>["glance"] as G["part"]]: Awaited<ReturnType<G["read"]>>;
};

type AnyTool = (typeof ALL)[number]["tools"][number];
/** What each tool takes and gives, by its name. */
export type ToolTypes = { [T in AnyTool as T["name"]]: NonNullable<T["types"]> };
