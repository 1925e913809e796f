import { z } from "zod";
import { ASKERS, ONLOOKERS, PEOPLE } from "../../context.ts";
import { defineTool, type Lookup } from "../../tool.ts";
import { ListRuns, Pausing, Permit, PermitCall, Run, RunDetails, RunList, RunRef, ShowRun } from "./schema.ts";
import * as service from "./service.ts";

/** What a command's word means that names a run. */
const RUN: Lookup = { what: "run", tool: "run_list", list: "runs", short: true, before: "before" };
const id = "which run, as runs list shows it, as short as names one, or latest";

const Nothing = z.strictObject({});

export const tools = [
  defineTool({
    name: "run_list",
    title: "List runs",
    description:
      "Lists the programs that were started, or are to be, for triggers, waiting tasks and mail, the newest first, with what each waits for.",
    roles: ONLOOKERS,
    facets: ["triggers"],
    commands: [
      {
        name: "runs list",
        summary: "list what was started for triggers, tasks and mail",
        examples: ["runs list", "runs list --state live", "runs list --kind trigger --name nightly"],
        rows: {
          list: "runs",
          columns: [
            "id",
            "kind",
            "name",
            "state",
            "waits_for",
            "attempt",
            "started_at",
            "ended_at",
            "cost_usd",
            "error",
          ],
          none: "Nothing was started.",
          more: "before",
        },
        id: "id",
      },
    ],
    input: ListRuns,
    output: RunList,
    run: service.list,
  }),
  defineTool({
    name: "run_show",
    title: "Look at a run",
    description: "One run with its attempts, what it was told and the end of what it printed, also while it runs.",
    roles: ONLOOKERS,
    facets: ["triggers"],
    commands: [
      {
        name: "runs show",
        summary: "show a run, with its attempts and what it printed",
        examples: ["runs show 1763366400000000", "runs show latest"],
        words: { id },
        names: { id: RUN },
        without: ["after"],
        shows: {
          fields: [
            ...[
              "id",
              "kind",
              "name",
              "state",
              "waits_for",
              "approval_id",
              "not_before",
              "session_mode",
              "session_key",
              "session_id",
            ],
            ...["attempt", "host", "pid", "created_at", "started_at", "ended_at", "stop_requested_by", "exit_code"],
            ...["signal", "account", "cost_usd", "output_bytes", "cause"],
          ],
          tables: {
            attempts: [
              "attempt",
              "node",
              "started_at",
              "ended_at",
              "outcome",
              "exit_code",
              "signal",
              "cost_usd",
              "error",
            ],
          },
          texts: ["prompt", "error", "output"],
        },
        id: "id",
      },
    ],
    input: ShowRun,
    output: RunDetails,
    run: service.show,
  }),
  defineTool({
    name: "run_stop",
    title: "Stop a run",
    description: "Ends a run: its processes are killed and its token is over. One that has not begun never will.",
    roles: PEOPLE,
    facets: ["triggers"],
    writes: true,
    commands: [
      {
        name: "runs stop",
        summary: "end a run",
        examples: ["runs stop 1763366400000000"],
        words: { id },
        names: { id: RUN },
        people: true,
        says: "Run {id} of {name} is asked to stop.",
        id: "id",
      },
    ],
    input: RunRef,
    output: Run,
    run: service.stop,
  }),
  defineTool({
    name: "run_permit",
    title: "Ask whether a run may make a call",
    description:
      "For the hook of a client that the hub has started: says whether it may make a call, by the policy, or that people are asked and the call is to be put off until the run goes on.",
    roles: ASKERS,
    unlisted: true,
    upkeep: "program",
    writes: true,
    input: PermitCall,
    output: Permit,
    run: service.permit,
  }),
  defineTool({
    name: "run_pause",
    title: "Start nothing more",
    description: "From now on no program is started in this space, until run_resume. What runs goes on.",
    roles: PEOPLE,
    facets: ["triggers"],
    writes: true,
    commands: [
      {
        name: "pause",
        summary: "start no more programs in this space",
        details: "What runs goes on, and what would be started waits.",
        examples: ["pause"],
        people: true,
        says: "Nothing is started from now on. Go on: `resume`",
      },
    ],
    input: Nothing,
    output: Pausing,
    run: service.pause,
  }),
  defineTool({
    name: "run_resume",
    title: "Start programs again",
    description: "Ends run_pause: what has waited is started in its order.",
    roles: PEOPLE,
    facets: ["triggers"],
    writes: true,
    commands: [
      {
        name: "resume",
        summary: "start programs in this space again",
        examples: ["resume"],
        people: true,
        says: "What has waited is started now.",
      },
    ],
    input: Nothing,
    output: Pausing,
    run: service.resume,
  }),
];
