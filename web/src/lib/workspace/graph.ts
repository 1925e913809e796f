import type { PlanTask } from "./types.ts";

interface Placed {
  id: string;
  /** How many steps have to come before it. */
  column: number;
  row: number;
}

interface Drawn {
  nodes: Placed[];
  edges: { from: Placed; to: Placed }[];
  columns: number;
  rows: number;
}

type Linked = Pick<PlanTask, "id" | "dependencies">;

/**
 * Where each task stands when what has to come first stands to its left: in the column behind the last of what it depends
 * on, and there as near as can be to what it depends on, so that few lines cross. Where that says nothing they keep the
 * plan's order, those without any neighbour behind those with.
 */
export function layOut(tasks: readonly Linked[]): Drawn {
  const columns = columnsOf(tasks);
  const needed = new Set(tasks.flatMap(({ dependencies }) => dependencies));
  const isAlone = ({ id, dependencies }: Linked): boolean => dependencies.length === 0 && !needed.has(id);
  const at = new Map<string, Placed>();
  const heights: number[] = [];
  const most = Math.max(-1, ...columns.values());
  for (let column = 0; column <= most; column += 1) {
    const here = tasks.filter(({ id }) => columns.get(id) === column);
    const ordered = [...here.filter((task) => !isAlone(task)), ...here.filter(isAlone)];
    const heightOf = (task: Linked): number => mean(task.dependencies.flatMap((id) => at.get(id)?.row ?? []));
    const placed = column === 0 ? ordered : ordered.toSorted((one, other) => heightOf(one) - heightOf(other));
    for (const [row, { id }] of placed.entries()) at.set(id, { id, column, row });
    heights.push(placed.length);
  }
  const edges = tasks.flatMap(({ id, dependencies }) =>
    dependencies.flatMap((other) => {
      const [from, to] = [at.get(other), at.get(id)];
      return from && to ? [{ from, to }] : [];
    }),
  );
  return { nodes: [...at.values()], edges, columns: heights.length, rows: Math.max(0, ...heights) };
}

/** How many steps have to come before each. */
function columnsOf(tasks: readonly Linked[]): Map<string, number> {
  const known = new Map(tasks.map((task) => [task.id, task]));
  const columns = new Map<string, number>();
  const columnOf = (task: Linked): number => {
    const done = columns.get(task.id);
    if (done !== undefined) return done;
    // The hub refuses cycles; should there be one all the same, it ends here.
    columns.set(task.id, 0);
    const before = task.dependencies.flatMap((id) => known.get(id) ?? []);
    const column = before.length === 0 ? 0 : Math.max(...before.map(columnOf)) + 1;
    columns.set(task.id, column);
    return column;
  };
  for (const task of tasks) columnOf(task);
  return columns;
}

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length);
