import { z } from "zod";
import { ONLOOKERS, PEOPLE } from "../../../context.ts";
import { defineTool } from "../../../tool.ts";
import {
  Budget,
  BudgetList,
  ImportedTasks,
  ImportTasks,
  ListWakes,
  Requeue,
  Requeued,
  SetBudget,
  SetThrottle,
  Throttle,
  WakeList,
} from "../schema.ts";
import * as service from "../service.ts";
import { facets, TASK } from "./naming.ts";

export const keeping = [
  defineTool({
    name: "task_requeue",
    title: "Try dead tasks again",
    description:
      "Has a dead task tried again, or all that fit, so many a minute. Look with preview first; stop ends one that is under way.",
    roles: PEOPLE,
    facets,
    writes: true,
    commands: [
      {
        name: "task requeue",
        summary: "have dead tasks tried again",
        examples: [
          "task requeue 1763366400000000",
          "task requeue --channel email --dry-run",
          "task requeue --error ECONNRESET --per-minute 60 --yes",
          "task requeue --stop 1763366400000000",
        ],
        details: "Without an id all dead tasks that fit, so many a minute.",
        words: { task_id: "this one alone, as short as names one" },
        names: { task_id: TASK },
        people: true,
        asks: { question: "Try {matched|dead task} again?", unless: ["task_id", "stop"], counts: "matched" },
        dry_run: {
          says: "Would try {matched|dead task} again.[ {left_out} left out: another task with the same dedup key lives.]",
          fixed: { preview: true },
        },
        says: [
          { when: { matched: 0, left_out: 0 }, says: "There is no such dead task. Nothing was changed." },
          {
            says: "{requeued} of {matched|dead task} requeued.[ {left_out} left out: another task with the same dedup key lives.][ To stop it: `task requeue --stop {requeue_id}`]",
          },
        ],
        id: "requeue_id",
      },
    ],
    input: Requeue,
    output: Requeued,
    run: service.requeue,
  }),
  defineTool({
    name: "task_import",
    title: "Take over tasks",
    description: "Takes over tasks of another queue with the times they had there, each once, whatever is repeated.",
    roles: PEOPLE,
    unlisted: true,
    facets,
    writes: true,
    input: ImportTasks,
    output: ImportedTasks,
    run: service.importTasks,
  }),
  defineTool({
    name: "wake_list",
    title: "List wakes that are owed",
    description: "Lists ends of tasks that somebody waits for and has not been told of yet, the oldest first.",
    roles: ONLOOKERS,
    facets: ["admin"],
    commands: [
      {
        name: "task wakes",
        summary: "list ends of tasks that those who wait have not been told of yet",
        examples: ["task wakes"],
        rows: {
          list: "wakes",
          columns: ["task_id", "waiter", "session_key", "status", "ended_at", "offered_at", "offers", "given_up"],
          none: "Nobody is owed the end of a task.",
        },
        id: "task_id",
      },
    ],
    input: ListWakes,
    output: WakeList,
    run: service.showWakes,
  }),
  defineTool({
    name: "throttle_set",
    title: "Hold an account's tasks",
    description:
      "Ends what a worker said of an account's quota, holds its tasks until a time, or has such words ignored.",
    roles: PEOPLE,
    facets: ["admin"],
    writes: true,
    input: SetThrottle,
    output: Throttle,
    run: service.setThrottle,
  }),
  defineTool({
    name: "budget_set",
    title: "Set a budget",
    description:
      "Sets how many tasks and runs may start, or dollars be spent, in a day. When it is used up work waits and people are asked.",
    roles: PEOPLE,
    facets: ["admin"],
    writes: true,
    input: SetBudget,
    output: Budget,
    run: service.setBudget,
  }),
  defineTool({
    name: "budget_list",
    title: "List budgets",
    description: "Lists the budgets of this space with what of each was used today.",
    roles: ONLOOKERS,
    facets: ["admin"],
    input: z.strictObject({}),
    output: BudgetList,
    run: service.listBudgets,
  }),
];
