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
            when: { stop: null, requeued: 0 },
            says: "{matched|dead task} to be tried again[, {per_minute} a minute].[ {left_out} left out: another task with the same dedup key lives.] To stop it: `task requeue --stop {requeue_id}`",
          },
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
    commands: [
      {
        name: "throttle set",
        summary: "hold the tasks of an account until a time, or no longer",
        examples: ["throttle set", "throttle set team --until 2h", "throttle set team --off"],
        details: "Without --until they are held no longer.",
        words: { account: "whose tasks; default without it" },
        people: true,
        says: [
          { when: { off: true }, says: "What workers say of the quota of {account} is ignored from now on." },
          { when: { throttled_until: null }, says: "Tasks of {account} are held no longer." },
          { says: "Tasks of {account} are held until {throttled_until}." },
        ],
        id: "account",
      },
    ],
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
    commands: [
      {
        name: "budget set",
        summary: "set how much may be done or spent in a day",
        examples: ["budget set space --tasks 200 --cost-usd 5", "budget set agent scout --runs 20", "budget set space"],
        details: "A day is one in UTC. What is left out has no bound; without any there is no budget.",
        words: { scope: "space, agent or account", name: "of which agent or account" },
        people: true,
        shows: { fields: ["scope", "name", "per_day", "used", "exhausted"] },
      },
    ],
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
    commands: [
      {
        name: "budget list",
        summary: "list the budgets, with what of each was used today",
        examples: ["budget list"],
        rows: {
          list: "budgets",
          columns: ["scope", "name", "per_day", "used", "exhausted"],
          none: "There is no budget.",
        },
      },
    ],
    input: z.strictObject({}),
    output: BudgetList,
    run: service.listBudgets,
  }),
];
