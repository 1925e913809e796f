import { COMMANDS as AGENTS } from "./agents/index.ts";
import { COMMANDS as APPROVALS } from "./approvals/index.ts";
import { COMMANDS as CHAT } from "./chat/index.ts";
import type { Entry } from "./core/command.ts";
import { MADE_NAMES } from "./core/made-names.ts";
import type { MadeCommand } from "./core/tool-command.ts";
import { COMMANDS as DEMO } from "./demo/index.ts";
import { COMMANDS as DOCTOR } from "./doctor/index.ts";
import { COMMANDS as EVENTS } from "./events/index.ts";
import { COMMANDS as HELP } from "./help/index.ts";
import { COMMANDS as HOOKS } from "./hooks/index.ts";
import { COMMANDS as HUB } from "./hub/index.ts";
import { COMMANDS as IDENTITY } from "./identity/index.ts";
import { COMMANDS as IMPORT } from "./import/index.ts";
import { COMMANDS as MAIL } from "./mail/index.ts";
import { COMMANDS as MCP } from "./mcp/index.ts";
import { COMMANDS as NOTICES } from "./notices/index.ts";
import { COMMANDS as OUTBOX } from "./outbox/index.ts";
import { COMMANDS as QUESTIONS } from "./questions/index.ts";
import { COMMANDS as RUNS } from "./runs/index.ts";
import { COMMANDS as SPACES } from "./spaces/index.ts";
import { COMMANDS as TASKS } from "./tasks/index.ts";
import { COMMANDS as WORKSPACE } from "./workspace/index.ts";

/** In the order in which help names them. */
const WRITTEN: readonly Entry[] = [
  HUB,
  DEMO,
  CHAT,
  AGENTS,
  MAIL,
  OUTBOX,
  NOTICES,
  APPROVALS,
  QUESTIONS,
  WORKSPACE,
  TASKS,
  RUNS,
  IMPORT,
  IDENTITY,
  SPACES,
  MCP,
  HOOKS,
  DOCTOR,
  EVENTS,
  HELP,
].flat();

type Named = Pick<MadeCommand, "name" | "summary" | "common">;

/** All there are, with those that were made of tools. */
export const entriesWith = <M extends Named>(
  made: readonly M[],
  whole: (named: M) => Promise<MadeCommand> | MadeCommand,
): Entry[] => [
  ...WRITTEN,
  ...made.map((each) => ({
    name: each.name,
    summary: each.summary,
    ...(each.common && { common: each.common }),
    load: async () => (await import("./core/tool-command.ts")).commandOf(await whole(each)),
  })),
];

/** Of those that were made of tools only the names are at hand: all of them would take a hook's time. */
export const ENTRIES: readonly Entry[] = entriesWith(MADE_NAMES, async ({ name }) => {
  const { MADE } = await import("./core/made-commands.ts");
  const made = MADE.find((each) => each.name === name);
  if (!made) throw new Error(`there is no command ${name}`);
  return made;
});

/** `token` for `token create` and its like. */
export const GROUPS: ReadonlySet<string> = new Set(
  ENTRIES.flatMap(({ name }) => (name.includes(" ") ? [name.slice(0, name.indexOf(" "))] : [])),
);

export const findEntry = (name: string): Entry | undefined => ENTRIES.find((entry) => entry.name === name);
