import { COMMANDS as CHAT } from "./chat/index.ts";
import type { Entry } from "./core/command.ts";
import type { MadeCommand } from "./core/tool-command.ts";
import { COMMANDS as DEMO } from "./demo/index.ts";
import { COMMANDS as DOCTOR } from "./doctor/index.ts";
import { COMMANDS as EVENTS } from "./events/index.ts";
import { COMMANDS as HELP } from "./help/index.ts";
import { COMMANDS as HOOKS } from "./hooks/index.ts";
import { COMMANDS as HUB } from "./hub/index.ts";
import { COMMANDS as IDENTITY } from "./identity/index.ts";
import { MADE } from "./made-commands.ts";
import { COMMANDS as MAIL } from "./mail/index.ts";
import { COMMANDS as MCP } from "./mcp/index.ts";
import { COMMANDS as NOTICES } from "./notices/index.ts";
import { COMMANDS as OUTBOX } from "./outbox/index.ts";

/** In the order in which help names them. */
const WRITTEN: readonly Entry[] = [
  HUB,
  DEMO,
  CHAT,
  MAIL,
  OUTBOX,
  NOTICES,
  IDENTITY,
  MCP,
  HOOKS,
  DOCTOR,
  EVENTS,
  HELP,
].flat();

/** All there are, with those that were made of tools. */
export const entriesWith = (made: readonly MadeCommand[]): Entry[] => [
  ...WRITTEN,
  ...made.map((each) => ({
    name: each.name,
    summary: each.summary,
    load: async () => (await import("./core/tool-command.ts")).commandOf(each),
  })),
];

export const ENTRIES: readonly Entry[] = entriesWith(MADE);

/** `token` for `token create` and its like. */
export const GROUPS: ReadonlySet<string> = new Set(
  ENTRIES.flatMap(({ name }) => (name.includes(" ") ? [name.slice(0, name.indexOf(" "))] : [])),
);

export const findEntry = (name: string): Entry | undefined => ENTRIES.find((entry) => entry.name === name);
