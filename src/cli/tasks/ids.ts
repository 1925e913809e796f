import type { Lookup } from "../../tool.ts";
import type { Cli } from "../core/cli.ts";
import { wholeName } from "../core/lookup.ts";

/** As the commands have it that are made of tools. */
export const TASK: Lookup = { what: "task", tool: "task_find", list: "tasks", short: true, before: "before" };

export const taskIds = (cli: Cli, given: readonly string[]): Promise<string[]> =>
  Promise.all(given.map((each) => wholeName((tool, args) => cli.callByName(tool, args), TASK, each)));
