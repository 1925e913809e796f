import { visibleLine } from "../../visible.ts";
import { ACTING_OPTIONS, type As } from "../core/acting.ts";
import { callAs, callsAs } from "../core/call-as.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand, flag, repeated, text } from "../core/command.ts";
import { invalid } from "../core/failure.ts";
import { readStdin } from "../core/io.ts";
import { wholeName } from "../core/lookup.ts";
import type { Output } from "../core/tool-types.ts";
import { counted } from "../core/words.ts";

type Task = Output<"read_plan">["plan"][number];

/** As the commands have it that are made of tools. */
const TASK = { what: "task of the plan", tool: "read_plan", list: "plan", short: true } as const;

export const add = defineCommand({
  examples: [
    "plan add 'Research prices' --assigned-to scout",
    "plan add Research Write Review --in-order",
    "plan add --after 1763366400000000 --queue 'Summarise it'",
    "plan add - < tasks.txt",
  ],
  details:
    "The plan is the team's checklist, ticked off with parley plan update. What workers claim is added with parley task add, or here with --queue.",
  positionals: {
    descriptions: {
      required: true,
      rest: true,
      description: "what is to be done, each a task; or - to read one a line from stdin",
    },
  },
  options: {
    after: repeated("TASK", "a task that has to be completed before"),
    in_order: flag("each has to wait for the one before it"),
    assigned_to: text("NAME", "who does them"),
    queue: flag("have workers of the queue do them, once they are ready"),
    ...ACTING_OPTIONS,
  },
  async run(cli, { descriptions, after, in_order, assigned_to, queue, ...as }) {
    const dependencies = await Promise.all(after.map((given) => wholeName(callsAs(cli, as), TASK, given)));
    const tasks = (await linesOf(cli, descriptions)).map((description, at) => ({
      description,
      dependencies: [...dependencies, ...(in_order && at > 0 ? [at - 1] : [])],
      assigned_to,
      queue,
    }));
    const added = await callAs(cli, as, "add_tasks", { tasks });
    await cli.out.result(
      added,
      () => added.tasks.map(({ task_id, description }) => `Added ${task_id}  ${visibleLine(description)}`).join("\n"),
      added.tasks.map(({ task_id }) => task_id),
    );
  },
});

async function linesOf(cli: Cli, words: readonly string[]): Promise<readonly string[]> {
  if (words.length !== 1 || words[0] !== "-") return words;
  const lines = (await readStdin(cli.io)).split("\n").map((line) => line.trim());
  const given = lines.filter((line) => line !== "");
  if (given.length === 0) throw invalid("There is nothing to add: stdin is empty.");
  return given;
}

export const list = defineCommand({
  examples: ["plan list", "plan list --ready", "plan list --status blocked"],
  details: "[x] completed, [>] in progress, [ ] ready to start, [.] waits for others, [!] blocked.",
  options: {
    status: text("STATUS", "only these", { choices: ["todo", "in_progress", "completed", "blocked"] }),
    assigned_to: text("NAME", "only theirs"),
    ready: flag("only what can be started"),
    ...ACTING_OPTIONS,
  },
  async run(cli, { status, assigned_to, ready, ...as }) {
    const filter = { status, assigned_to, ready: ready || undefined };
    const plan = await wholePlan(cli, as, filter);
    // What a task waits for may not be among those that were asked for.
    const isWhole =
      Object.values(filter).every((value) => value === undefined) ||
      plan.every(({ blocked_by }) => blocked_by.length === 0);
    const names = new Map((isWhole ? plan : await wholePlan(cli, as, {})).map((task) => [task.id, task.description]));
    await cli.out.result({ plan }, () => checklist(cli, plan, names), plan);
  },
});

async function wholePlan(cli: Cli, as: As, filter: object): Promise<Task[]> {
  const plan: Task[] = [];
  for (let after_id: string | undefined; ; ) {
    const page = await callAs(cli, as, "read_plan", { ...filter, after_id });
    plan.push(...page.plan);
    if (!page.has_more || page.last_id === null) return plan;
    after_id = page.last_id;
  }
}

function checklist(cli: Cli, plan: readonly Task[], names: ReadonlyMap<string, string>): string {
  if (plan.length === 0) return "There are no tasks in the plan.";
  const completed = plan.filter(({ status }) => status === "completed").length;
  return [
    ...plan.flatMap((task) => linesFor(cli, task, names)),
    `${completed} of ${counted(plan.length, "task")} completed.`,
  ].join("\n");
}

const MARKS = { completed: "x", in_progress: ">", blocked: "!", todo: " " } as const;

function linesFor({ out }: Cli, task: Task, names: ReadonlyMap<string, string>): string[] {
  const { id, description, status, assigned_to, blocked_by, summary, queued } = task;
  const mark = status === "todo" && blocked_by.length > 0 ? "." : MARKS[status];
  const who = [assigned_to === null ? "" : `  (${visibleLine(assigned_to)})`, queued ? "  (queue)" : ""].join("");
  const below = status === "completed" ? [] : blocked_by.map((other) => `waits for ${named(names, other)}`);
  if (summary !== null) below.push(visibleLine(summary));
  return [
    `[${mark}] ${out.dim(id)}  ${visibleLine(description)}${who}`,
    ...below.map((line) => `      ${out.dim(line)}`),
  ];
}

const named = (names: ReadonlyMap<string, string>, id: string): string => `${id} ${visibleLine(names.get(id) ?? "")}`;
