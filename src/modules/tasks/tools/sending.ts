import { TASK_SENDERS } from "../../../context.ts";
import { defineTool } from "../../../tool.ts";
import { CancelTask, CreateTask, Task, UpdateTask, Waited, WaitForTasks } from "../schema.ts";
import * as service from "../service.ts";
import { facets, TASK, task_id } from "./naming.ts";

/** Whoever has work done without looking for how: at `/mcp` people have a page for it. */
const ASKERS = ["agent", "orchestrator", "trigger"] as const;

export const sending = [
  defineTool({
    name: "task_create",
    title: "Create a task",
    description:
      "Creates a task for a worker, who knows nothing but its content. You are told of its end: a trigger is woken, others get mail; or wait with task_wait.",
    roles: TASK_SENDERS,
    core: ASKERS,
    facets,
    writes: true,
    commands: [
      {
        name: "task add",
        summary: "give workers a task",
        examples: [
          'task add "Summarise the logs of last night"',
          "task add --priority 10 --run-at 2h - < brief.md",
          'task add --needs gpu --dedup-key nightly "Train it anew"',
        ],
        details:
          "Whoever works on it knows nothing but what it says. You get the result as mail, or with parley task wait.",
        words: { content: "what is to be done, or - to read it from stdin" },
        text: true,
        without: ["session_key"],
        says: "Task {id} is {status}[, held back for {held_for}].",
        id: "id",
      },
    ],
    input: CreateTask,
    output: Task,
    run: service.createOwn,
  }),
  defineTool({
    name: "task_update",
    title: "Change a pending task",
    description: "Changes the content of a task of yours that nobody has begun. Only works while it is pending.",
    roles: TASK_SENDERS,
    facets,
    writes: true,
    input: UpdateTask,
    output: Task,
    run: service.update,
  }),
  defineTool({
    name: "task_cancel",
    title: "Cancel a task",
    description: "Cancels a pending task of yours. The worker of one that is processing is asked to stop.",
    roles: TASK_SENDERS,
    facets,
    writes: true,
    commands: [
      {
        name: "task cancel",
        summary: "take a task back",
        examples: ["task cancel 1763366400000000", "task cancel latest --reason 'no longer needed'"],
        details: "The worker of one that is processing is asked to stop.",
        words: { task_id },
        names: { task_id: TASK },
        says: "Task {id} is {status}[, and its worker is asked to stop since {cancel_requested_at}].",
        id: "id",
      },
    ],
    input: CancelTask,
    output: Task,
    run: service.cancel,
  }),
  defineTool({
    name: "task_wait",
    title: "Wait for tasks",
    description:
      "Returns once the first of these tasks has ended, also if it had before; waiting is true when the time is over. Then call it again.",
    roles: TASK_SENDERS,
    core: ASKERS,
    facets,
    writes: true,
    waits: { isPending: ({ waiting }) => waiting, handed: service.handed },
    input: WaitForTasks,
    output: Waited,
    run: service.waitFor,
  }),
];
