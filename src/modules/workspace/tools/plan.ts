import { READERS, WRITERS } from "../../../context.ts";
import { defineTool, type Lookup } from "../../../tool.ts";
import {
  AddedTasks,
  AddTasks,
  ChangedTask,
  LinkedTasks,
  LinkTasks,
  Plan,
  ReadPlan,
  UpdatePlanTask,
} from "../schema.ts";
import * as service from "../service.ts";

const facets = ["workspace"] as const;

/** What a command's word means that names a task of the plan. */
const TASK: Lookup = { what: "task of the plan", tool: "read_plan", list: "plan", short: true };
const task_id = "the task, as short as names one";
const other_id = "the other one, as short as names one";
const names = { task_id: TASK, other_id: TASK };

export const plan = [
  defineTool({
    name: "add_tasks",
    title: "Add tasks to the plan",
    description:
      "Adds tasks to the team's shared checklist, all of them or none. You tick them off yourselves with update_task. For work that a worker of the queue is to claim use task_create, or queue here.",
    roles: WRITERS,
    facets,
    writes: true,
    input: AddTasks,
    output: AddedTasks,
    run: service.addTasks,
  }),
  defineTool({
    name: "update_task",
    title: "Update a task of the plan",
    description:
      "Changes the status or assignment of a task of the plan. It can be neither started nor completed while something it depends on is open. The queue's tasks are others: task_update, task_complete.",
    roles: WRITERS,
    facets,
    writes: true,
    commands: [
      {
        name: "plan update",
        summary: "change what a task of the plan is, and who does it",
        examples: [
          "plan update 1763366400000000 --status in_progress",
          "plan update 1763366400000000 --status completed --summary 'It costs ten'",
          "plan update 1763366400000000 --assigned-to ''",
        ],
        words: { task_id },
        names: { task_id: TASK },
        acting: true,
        says: "{id} is {status}[, done by {assigned_to}].",
        id: "id",
      },
    ],
    input: UpdatePlanTask,
    output: ChangedTask,
    run: service.updateTask,
  }),
  defineTool({
    name: "read_plan",
    title: "Read the plan",
    description:
      "Reads the shared checklist: each task with its status, who does it, what it depends on and whether it is ready to start. What workers claim is in task_list.",
    roles: READERS,
    facets,
    input: ReadPlan,
    output: Plan,
    run: service.readPlan,
  }),
  defineTool({
    name: "plan_link",
    title: "Link tasks of the plan",
    description:
      "Says that a task of the plan depends on another one, comes from it or is part of it. plan_unlink takes that back.",
    roles: WRITERS,
    facets,
    writes: true,
    commands: [
      {
        name: "plan link",
        summary: "say that a task of the plan depends on another one",
        examples: [
          "plan link 1763366400000001 1763366400000000",
          "plan link 17633664000001 17633664000002 --kind parent",
        ],
        words: { task_id, other_id },
        names,
        acting: true,
        says: [
          { when: { kind: "blocks" }, says: "{task_id} waits for {other_id}." },
          { when: { kind: "parent" }, says: "{task_id} is part of {other_id}." },
          { says: "{task_id} was discovered from {other_id}." },
        ],
        id: "task_id",
      },
    ],
    input: LinkTasks,
    output: LinkedTasks,
    run: service.link,
  }),
  defineTool({
    name: "plan_unlink",
    title: "Unlink tasks of the plan",
    description: "Takes back what plan_link or add_tasks said of two tasks.",
    roles: WRITERS,
    facets,
    unlisted: true,
    writes: true,
    commands: [
      {
        name: "plan unlink",
        summary: "take a link between two tasks of the plan away",
        examples: ["plan unlink 1763366400000001 1763366400000000"],
        words: { task_id, other_id },
        names,
        acting: true,
        says: [
          { when: { changed: false }, says: "There was no such link." },
          { says: "{task_id} has no such link to {other_id} any more." },
        ],
        id: "task_id",
      },
    ],
    input: LinkTasks,
    output: LinkedTasks,
    run: service.unlink,
  }),
];
