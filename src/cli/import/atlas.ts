import { resolve } from "node:path";
import { visibleLine } from "../../visible.ts";
import { batches } from "../core/batches.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand } from "../core/command.ts";
import { Failure, isFailure } from "../core/failure.ts";
import { columns } from "../core/fields.ts";
import type { Output } from "../core/tool-types.ts";
import { counted } from "../core/words.ts";
import { type Atlas, type Row, readAtlas } from "./atlas-file.ts";
import { type ImportedTask, type Left, runsOf, taskOf, triggerOf } from "./atlas-rows.ts";

type Imported = Output<"task_import">["tasks"][number];

/** As much as goes in one call. */
const MOST = { items: 50, size: 512 * 1024 };
/** Of what was not taken, so much is told at a terminal. */
const MOST_LISTED = 20;

interface Report {
  file: string;
  /** By what they were there. */
  taken: Record<string, number>;
  known: { tasks: number; triggers: number };
  left: Left[];
}

export const atlas = defineCommand({
  people: true,
  examples: ["import atlas workspace/inbox/atlas.db"],
  details:
    "Takes the messages as tasks, with their times, and the triggers with their secrets. What was processing waits again. It can be repeated: what was taken before stays as it is, and a trigger that is there is not changed. The file is read whole before anything is done, and never written to. Stop Atlas first, so that nothing runs twice.",
  positionals: { file: { required: true, description: "the database of Atlas, atlas.db" } },
  async run(cli, { file }) {
    const path = resolve(file);
    const found = readAtlas(path);
    const report: Report = { file: path, taken: {}, known: { tasks: 0, triggers: 0 }, left: [] };
    await takeTriggers(cli, found, report);
    await takeTasks(cli, found, report);
    leaveSessions(found, report);
    await cli.out.result(report, () => shown(cli, report), []);
  },
});

async function takeTriggers(cli: Cli, { triggers }: Atlas, report: Report): Promise<void> {
  const there = new Set((await cli.call("trigger_list", {})).triggers.map(({ name }) => name));
  for (const row of triggers) {
    const trigger = triggerOf(row);
    if (there.has(trigger.name)) {
      report.known.triggers += 1;
      continue;
    }
    try {
      await cli.call("trigger_create", trigger);
      count(report, "triggers");
      report.left.push(...[runsOf(row) ?? []].flat());
    } catch (error) {
      if (!(error instanceof Failure && error.status !== undefined && error.status < 500)) throw error;
      report.left.push({ what: "trigger", name: trigger.name, reason: error.message });
    }
  }
}

async function takeTasks(cli: Cli, { messages, task_awaits }: Atlas, report: Report): Promise<void> {
  const tasks = new Map<string, { task: ImportedTask; row: Row }>();
  for (const row of messages) {
    const task = taskOf(row, task_awaits);
    if (typeof task === "string") report.left.push({ what: "message", name: String(row.id), reason: task });
    else tasks.set(task.source_key, { task, row });
  }
  const all = [...tasks.values()].map(({ task }) => task);
  for await (const batch of batches(all, MOST, bytesOf)) {
    for (const outcome of await importBatch(cli, batch)) {
      const { task, row } = tasks.get(outcome.source_key) ?? {};
      if ("refused" in outcome) report.left.push({ what: "message", name: String(row?.id), reason: outcome.refused });
      else if (outcome.known) report.known.tasks += 1;
      else {
        count(report, String(row?.status));
        if (outcome.expired) count(report, "expired");
        for (const _ of task?.awaits ?? []) count(report, "awaits");
      }
    }
  }
  leaveAwaits({ messages, task_awaits }, report);
}

type Outcome = Imported | { source_key: string; refused: string };

/** The hub takes all of a call or none: where it refuses one of them, each is a call of its own. */
async function importBatch(cli: Cli, tasks: ImportedTask[]): Promise<Outcome[]> {
  try {
    return (await cli.call("task_import", { tasks })).tasks;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const [first, ...more] = tasks;
    if (first && more.length === 0)
      return [{ source_key: first.source_key, refused: error.message.replace(/^("?)tasks\.0\./, "$1") }];
    const outcomes: Outcome[] = [];
    for (const task of tasks) outcomes.push(...(await importBatch(cli, [task])));
    return outcomes;
  }
}

/** The hub will not have it, whenever it is asked. */
const REFUSED = ["INVALID_ARGUMENT", "INVALID_TEXT", "CONTENT_TOO_LARGE", "BODY_TOO_LARGE"];
const isRefusal = (error: unknown): error is Failure => isFailure(error, ...REFUSED);

const bytesOf = ({ content, response_summary }: ImportedTask): number =>
  Buffer.byteLength(content) + Buffer.byteLength(response_summary ?? "");

function leaveAwaits({ messages, task_awaits }: Pick<Atlas, "messages" | "task_awaits">, { left }: Report): void {
  const status = new Map(messages.map((row) => [row.id, row.status]));
  const refused = new Set(left.filter(({ what }) => what === "message").map(({ name }) => name));
  for (const { task_id, trigger_name } of task_awaits) {
    const was = status.get(task_id);
    const isRefused = refused.has(String(task_id));
    if (!isRefused && (was === "pending" || was === "processing")) continue;
    const why = isRefused ? "was not taken" : `is ${was} already`;
    const reason = was === undefined ? `there is no message ${task_id}` : `message ${task_id} ${why}`;
    left.push({ what: "await", name: String(trigger_name), reason });
  }
}

/** They are on the machine where Atlas ran, of a client that may be another here. */
function leaveSessions({ trigger_sessions }: Atlas, { left }: Report): void {
  for (const { trigger_name, session_key } of trigger_sessions)
    left.push({ what: "session", name: `${trigger_name} ${session_key}`, reason: "sessions begin anew here" });
}

const count = ({ taken }: Report, what: string): void => {
  taken[what] = (taken[what] ?? 0) + 1;
};

/** What it was there, and what it is called here, of one and of several. */
const TAKEN: Readonly<Record<string, readonly [word: string, more: string]>> = {
  pending: ["pending task", ""],
  processing: ["task", ", processing there, waiting again here"],
  done: ["task", " done"],
  cancelled: ["task", " cancelled"],
  expired: ["task", " of these over for longer than tasks are kept here (PARLEY_TASK_DAYS): removed within the hour"],
  awaits: ["trigger", " waiting for a task"],
  triggers: ["trigger", ""],
};

function shown({ out }: Cli, { taken, known, left }: Report): string {
  const lines = Object.entries(TAKEN).flatMap(([what, [word, more]]) =>
    taken[what] ? [`  ${counted(taken[what], word)}${more}`] : [],
  );
  const before = known.tasks + known.triggers;
  const listed = left.slice(0, MOST_LISTED).map((one) => ({ ...one, name: visibleLine(one.name) }));
  return [
    lines.length === 0 ? "Nothing new was taken." : "Taken:",
    ...lines,
    ...(before > 0
      ? [`Known already, and left as they are: ${counted(known.tasks, "task")}, ${counted(known.triggers, "trigger")}.`]
      : []),
    ...(left.length > 0 ? ["Not taken:", columns(out, listed, ["what", "name", "reason"]).replace(/^/gm, "  ")] : []),
    ...(left.length > MOST_LISTED ? [`  and ${left.length - MOST_LISTED} more; --json has all.`] : []),
  ].join("\n");
}
