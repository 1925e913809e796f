import { z } from "zod";
import { ONLOOKERS, READERS, TASK_READERS } from "../../../context.ts";
import { defineTool } from "../../../tool.ts";
import {
  Board,
  FindTasks,
  FoundTasks,
  GetTask,
  ListTasks,
  LookAtBoard,
  Stats,
  TaskDetails,
  TaskList,
} from "../schema.ts";
import * as service from "../service.ts";
import { FIELDS, facets, TASK, TEXTS, task_id } from "./naming.ts";

export const reading = [
  defineTool({
    name: "task_get",
    title: "Get a task",
    description: "Gives one task with its status, its result, every attempt at it and who waits for it.",
    roles: TASK_READERS,
    receipts: ["trigger"],
    core: ["trigger"],
    facets,
    commands: [
      {
        name: "task get",
        summary: "look at a task, with every attempt and who waits for it",
        examples: ["task get 1763366400000000", "task get latest"],
        words: { task_id },
        names: { task_id: TASK },
        shows: {
          fields: FIELDS,
          tables: {
            attempts: ["attempt", "worker", "outcome", "claimed_at", "ended_at", "error"],
            awaits: ["waiter", "session_key", "registered_at", "offered_at", "consumed_at"],
          },
          texts: TEXTS,
        },
        id: "id",
      },
    ],
    input: GetTask,
    output: TaskDetails,
    run: service.get,
  }),
  defineTool({
    name: "task_list",
    title: "List tasks",
    description: "Lists tasks of one status: what is still to be done the oldest first, what is over the newest first.",
    roles: READERS,
    facets,
    commands: [
      {
        name: "task list",
        summary: "list tasks",
        examples: ["task list", "task list --status dead", "task list --status done --channel email --limit 5"],
        rows: {
          list: "tasks",
          columns: [
            "id",
            "content",
            "held_for",
            "claimed_by",
            "lease_expires_at",
            "sender",
            "created_at",
            "processed_at",
            "error",
          ],
          none: [
            { when: { status: null }, says: "No task is pending. All of them, by status: `task stats`" },
            { says: "No task is {status}. All of them, by status: `task stats`" },
          ],
          more: "cursor",
        },
        id: "id",
      },
    ],
    input: ListTasks,
    output: TaskList,
    run: service.list,
  }),
  defineTool({
    name: "task_find",
    title: "Find tasks by id",
    description: "Lists tasks of every status, the newest first, to find one by how its id begins.",
    roles: TASK_READERS,
    unlisted: true,
    facets,
    input: FindTasks,
    output: FoundTasks,
    run: service.find,
  }),
  defineTool({
    name: "task_board",
    title: "Look at the board of tasks",
    description:
      "Shows tasks by state, waiting, held, working, done and dead: how many there are, the first of each, and what holds one back.",
    roles: ONLOOKERS,
    unlisted: true,
    facets,
    input: LookAtBoard,
    output: Board,
    run: service.board,
  }),
  defineTool({
    name: "inbox_stats",
    title: "Count tasks",
    description: "Counts tasks: all, by status and by channel, and says how long the oldest pending one has waited.",
    roles: READERS,
    facets,
    commands: [
      {
        name: "task stats",
        summary: "count tasks by status and channel",
        examples: ["task stats"],
      },
    ],
    input: z.strictObject({}),
    output: Stats,
    run: service.stats,
  }),
];
