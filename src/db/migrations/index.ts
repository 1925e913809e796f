import type { Columns } from "../columns.ts";
import * as hub from "./0001-hub.ts";
import * as identity from "./0002-identity.ts";
import * as chat from "./0003-chat.ts";
import * as login from "./0004-login.ts";
import * as mail from "./0005-mail.ts";
import * as agents from "./0006-agents.ts";
import * as notices from "./0007-notices.ts";
import * as together from "./0008-together.ts";
import * as madeBy from "./0009-made-by.ts";
import * as left from "./0010-left.ts";
import * as waits from "./0011-waits.ts";
import * as bounds from "./0012-bounds.ts";
import * as trails from "./0013-trails.ts";
import * as due from "./0014-due.ts";
import * as asking from "./0015-asking.ts";
import * as causes from "./0016-causes.ts";
import * as tasks from "./0017-tasks.ts";
import * as triggers from "./0018-triggers.ts";
import * as runs from "./0019-runs.ts";
import * as runTokens from "./0020-run-tokens.ts";
import * as wakes from "./0023-wakes.ts";
import * as taskImports from "./0024-task-imports.ts";
import * as gatheredWakes from "./0025-gathered-wakes.ts";
import * as runTasks from "./0026-run-tasks.ts";
import * as questions from "./0027-questions.ts";
import * as workspace from "./0028-workspace.ts";
import * as runAccounts from "./0029-run-accounts.ts";
import * as agentsHere from "./0030-agents-here.ts";
import * as timeline from "./0031-timeline.ts";
import * as approvals from "./0032-approvals.ts";
import * as forgottenSpaces from "./0033-forgotten-spaces.ts";
import * as forks from "./0034-forks.ts";
import * as following from "./0035-following.ts";
import * as deciding from "./0038-deciding.ts";
import * as deferredRuns from "./0039-deferred-runs.ts";
import * as runtimeTokens from "./0040-runtime-tokens.ts";
import * as runtimeAccounts from "./0041-runtime-accounts.ts";
import * as agentCalls from "./0042-agent-calls.ts";
import * as abortedBy from "./0043-aborted-by.ts";
import * as longHistories from "./0044-long-histories.ts";
import * as governedCalls from "./0045-governed-calls.ts";
import * as queue from "./0047-queue.ts";
import * as claimedRuns from "./0048-claimed-runs.ts";
import * as refusedDeliveries from "./0049-refused-deliveries.ts";
import * as taskLanes from "./0050-task-lanes.ts";

export interface Migration {
  up: (columns: Columns) => string[];
}

/** One linear history. A migration is frozen once released; the schema's version is its place in this list. */
export const MIGRATIONS: readonly Migration[] = [
  hub,
  identity,
  chat,
  login,
  mail,
  agents,
  notices,
  together,
  madeBy,
  left,
  waits,
  bounds,
  trails,
  due,
  asking,
  causes,
  tasks,
  triggers,
  runs,
  runTokens,
  wakes,
  taskImports,
  gatheredWakes,
  runTasks,
  questions,
  workspace,
  runAccounts,
  agentsHere,
  timeline,
  approvals,
  forgottenSpaces,
  forks,
  following,
  deciding,
  deferredRuns,
  runtimeTokens,
  runtimeAccounts,
  agentCalls,
  abortedBy,
  longHistories,
  governedCalls,
  queue,
  claimedRuns,
  refusedDeliveries,
  taskLanes,
];
