import { StatementSync } from "node:sqlite";

type Value = string | number | null;

/** One call of a prepared statement. */
export interface Step {
  method: (typeof METHODS)[number];
  sql: string;
  args: Value[];
  /** Whether it gave a row. */
  found: boolean;
}

/** What `work` had SQLite do between BEGIN and COMMIT, and the ids of what it made. */
export interface Recording {
  steps: Step[];
  ids: number[];
}

const METHODS = ["run", "get", "all"] as const;

/** So that the reference runs the very same statements with the same rows, whatever they are today. */
export async function record(work: () => Promise<object[]>): Promise<Recording> {
  const steps: Step[] = [];
  const { run, get, all } = StatementSync.prototype;
  for (const method of METHODS) {
    const original: (...args: Value[]) => unknown = StatementSync.prototype[method];
    const listening = function (this: StatementSync, ...args: Value[]): unknown {
      const result = original.apply(this, args);
      steps.push({ method, sql: this.sourceSQL, args, found: result !== undefined });
      return result;
    };
    Object.assign(StatementSync.prototype, { [method]: listening });
  }
  try {
    const made = await work();
    return { steps: inTransaction(steps), ids: made.map(idOf) };
  } finally {
    Object.assign(StatementSync.prototype, { run, get, all });
  }
}

function inTransaction(steps: readonly Step[]): Step[] {
  const first = steps.findIndex(({ sql }) => sql === "begin immediate");
  const last = steps.findIndex(({ sql }) => sql === "commit");
  if (first < 0 || last < first) throw new Error("the hub no longer writes the way the bench knows");
  return steps.slice(first, last + 1);
}

function idOf(made: object): number {
  if ("id" in made && typeof made.id === "string") return Number(made.id);
  throw new Error("a post gave no id");
}
