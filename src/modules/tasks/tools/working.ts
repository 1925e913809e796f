import { WORKERS } from "../../../context.ts";
import { defineTool } from "../../../tool.ts";
import { Beat, CompleteTask, FailTask, Given, HeartbeatTask, NextTask, ReleaseTask, Task } from "../schema.ts";
import * as service from "../service.ts";
import { FIELDS, facets, TASK, TEXTS, task_id } from "./naming.ts";

export const working = [
  defineTool({
    name: "get_next_task",
    title: "Get the next task",
    description:
      "Claims the next pending task for you, and gives it with the attempt to name when you complete or fail it. Without one next_task is null. Warns if you have an active task.",
    roles: WORKERS,
    core: ["worker"],
    facets,
    writes: true,
    commands: [
      {
        name: "task next",
        summary: "take the next task",
        examples: ["task next", "task next --offers gpu --wait 5m"],
        details:
          "It is yours until its lease is over: end it with parley task done or parley task fail. To work on one after another: parley worker run",
        durations: { wait_seconds: "wait" },
        says: [
          { when: { warning: null }, says: "[{message}]" },
          {
            says: "You have a task already. Before you take the next, end it with `task done`, or give it back with `task fail`",
          },
        ],
        shows: { of: ["next_task", "active_task"], fields: FIELDS, texts: TEXTS },
        id: "id",
      },
    ],
    waits: { isPending: ({ next_task, active_task }) => next_task === null && active_task === undefined },
    input: NextTask,
    output: Given,
    run: service.next,
  }),
  defineTool({
    name: "task_complete",
    title: "Complete a task",
    description:
      "Marks your task as done. The summary is sent to whoever asked for it, so write it as the actual reply.",
    roles: WORKERS,
    core: ["worker"],
    facets,
    writes: true,
    commands: [
      {
        name: "task done",
        summary: "say that you did a task, with the result",
        examples: [
          'task done 1763366400000000 "There were three errors, all of the disk."',
          "task done latest - < report.md",
        ],
        details: "The text is sent to whoever asked for it.",
        words: { task_id, response_summary: "the result, or - to read it from stdin" },
        names: { task_id: TASK },
        text: true,
        says: "Task {id} is {status}.",
        id: "id",
      },
    ],
    input: CompleteTask,
    output: Task,
    run: service.complete,
  }),
  defineTool({
    name: "task_fail",
    title: "Give up a task",
    description:
      "Gives your task back with what went wrong: it is tried again later, or is dead after its last attempt. With throttled_until it costs no attempt.",
    roles: WORKERS,
    core: ["worker"],
    facets,
    writes: true,
    commands: [
      {
        name: "task fail",
        summary: "give a task back with what went wrong",
        examples: [
          'task fail 1763366400000000 "The disk is full."',
          'task fail latest --throttled-until 2h "The quota is used up."',
        ],
        details: "It is tried again later, or is dead after its last attempt.",
        words: { task_id, error: "what went wrong, or - to read it from stdin" },
        names: { task_id: TASK },
        text: true,
        says: "Task {id} is {status}[, to be tried again {run_at}].",
        id: "id",
      },
    ],
    input: FailTask,
    output: Task,
    run: service.fail,
  }),
  defineTool({
    name: "task_release",
    title: "Give a task back undone",
    description:
      "Gives your task back because you end, not because of the task: the next worker has it at once, and it costs no attempt.",
    roles: WORKERS,
    unlisted: true,
    facets,
    writes: true,
    input: ReleaseTask,
    output: Task,
    run: service.release,
  }),
  defineTool({
    name: "task_heartbeat",
    title: "Keep a task",
    description: "Says that you still work on your task, so that nobody else is given it, and tells whether to stop.",
    roles: WORKERS,
    core: ["worker"],
    facets,
    input: HeartbeatTask,
    output: Beat,
    run: service.heartbeat,
  }),
];
