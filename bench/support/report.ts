import { type Bound, type Figure, judged, keeps, type Scenario } from "./scenario.ts";

/** What `--json` prints of a figure. */
export function toJson({ name }: Scenario, figure: Figure): object {
  const { bound, ...numbers } = figure;
  return { scenario: name, ...numbers, bound, ok: keeps(figure) };
}

/** One scenario for people to read. */
export function table({ name, measures }: Scenario, figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.bound ? (keeps(figure) ? "ok" : "MISSED") : "",
    figure.figure,
    shown(judged(figure), figure),
    limitOf(figure),
    `${round(figure.ours)} ${figure.unit} against ${round(figure.reference)}`,
    figure.rounds > 1 ? `half of ${figure.rounds} rounds from ${round(figure.low)} to ${round(figure.high)}` : "",
  ]);
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  return [`${name}: ${measures}`, ...lines.map((line) => `  ${line}`.trimEnd()), ""].join("\n");
}

function limitOf({ bound, unit }: Figure): string {
  if (!bound) return "";
  const [word, limit] = "at_least" in bound ? ["at least", bound.at_least] : ["at most", bound.at_most];
  return `${word} ${shown(limit, { bound, unit })}`;
}

function shown(value: number, { bound, unit }: { bound: Bound | null; unit: string }): string {
  const on = bound?.on ?? "ratio";
  if (on === "ratio") return `${value.toFixed(2)}×`;
  return on === "difference" ? `${round(value)} ${unit} more` : `${round(value)} ${unit}`;
}

/** Three digits are more than such a figure is good for. */
const round = (value: number): string =>
  (value >= 100 ? Math.round(value) : Number(value.toPrecision(3))).toLocaleString("en");
