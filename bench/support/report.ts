import { type Bound, type Figure, judged, keeps, type Scenario } from "./scenario.ts";

/** A scenario that was run. */
export interface Run {
  scenario: Scenario;
  figures: Figure[];
  seconds: number;
  /** The part of the machine that others used meanwhile. */
  others: number | null;
}

/** With more than this for others, a figure in time says as much about them. */
const QUIET = 0.2;

/** What `--json` prints. */
export function toJson(runs: readonly Run[]): object {
  return {
    node: process.version,
    scenarios: runs.map(({ scenario: { name, measures }, seconds, others }) => ({ name, measures, seconds, others })),
    figures: runs.flatMap(({ scenario, figures }) =>
      figures.map((figure) => ({ scenario: scenario.name, ...figure, ok: keeps(figure) })),
    ),
  };
}

/** One scenario for people to read. */
export function toText({ scenario, figures, others }: Run): string {
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
  if (others !== null && others > QUIET)
    lines.push(`Others used ${Math.round(others * 100)} % of this machine meanwhile: run it again when it is quiet.`);
  return [`${scenario.name}: ${scenario.measures}`, ...lines.map((line) => `  ${line}`.trimEnd()), ""].join("\n");
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
