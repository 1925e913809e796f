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
];
