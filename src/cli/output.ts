import type { Common } from "./command.ts";

/** Where a command's words go: data to stdout, everything said about it to stderr. */
export class Output {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly #colors: boolean;

  constructor(common: Pick<Common, "json" | "format" | "no_color" | "quiet">, textByDefault: boolean) {
    const terminal = process.stdout.isTTY === true;
    this.json = common.json || (common.format ? common.format === "json" : !terminal && !textByDefault);
    this.quiet = common.quiet;
    const { NO_COLOR, TERM } = process.env;
    this.#colors = terminal && !common.no_color && !NO_COLOR && TERM !== "dumb";
  }

  /** What was asked for: one JSON document, or text for people. */
  async result(value: unknown, text: () => string): Promise<void> {
    await this.write(this.json ? JSON.stringify(value) : text());
  }

  /** One line of stdout. Resolves when it has been handed over, so that the process may end. */
  async write(line: string): Promise<void> {
    if (line !== "") await new Promise<void>((done) => process.stdout.write(`${line}\n`, () => done()));
  }

  /** For the person waiting, not for the program reading. */
  note(text: string): void {
    if (!this.quiet && process.stderr.isTTY === true) process.stderr.write(`${text}\n`);
  }

  bold(text: string): string {
    return this.#colors ? `\u001b[1m${text}\u001b[22m` : text;
  }

  dim(text: string): string {
    return this.#colors ? `\u001b[2m${text}\u001b[22m` : text;
  }
}

/** Columns as wide as what is in them. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
