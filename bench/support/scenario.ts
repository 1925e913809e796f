/** What a figure must keep to. `on` says which of its numbers: mostly the ratio, where it says so the amount itself. */
export type Bound = { on: "ratio" | "difference" | "ours" } & ({ at_least: number } | { at_most: number });

export interface Figure {
  figure: string;
  unit: string;
  /** Medians over the rounds. */
  ours: number;
  reference: number;
  /** The median of what the rounds gave, each compared with the reference measured next to it. */
  ratio: number;
  difference: number;
  /** The quartiles of what the rounds gave, of whatever the bound is on. */
  low: number;
  high: number;
  rounds: number;
  /** Null for a figure that is there for information. */
  bound: Bound | null;
}

/** All of a scenario, for its figures; or a moment of it, which shows that it still runs and whose figures mean nothing. */
export type Effort = "full" | "moment";

/** One file `bench/<name>.bench.ts` exports one of these as `scenario`. */
export interface Scenario {
  name: string;
  measures: string;
  bounds: Readonly<Record<string, Bound>>;
  run(effort: Effort): Promise<Figure[]>;
}

/** What the bound is on; the ratio where there is none. */
export function judged({ bound, ...figure }: Figure): number {
  return figure[bound?.on ?? "ratio"];
}

export function keeps(figure: Figure): boolean {
  const { bound } = figure;
  if (!bound) return true;
  return "at_least" in bound ? judged(figure) >= bound.at_least : judged(figure) <= bound.at_most;
}
