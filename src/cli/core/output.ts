import type { Format, SharedOptions } from "./command.ts";
import { type Io, STDERR, STDOUT } from "./io.ts";
import { spokenTime, wallTime } from "./times.ts";

/** Where a command's words go: data to stdout, everything said about it to stderr. */
export class Output {
  readonly json: boolean;
  readonly format: Format;
  readonly quiet: boolean;
  /** What `--fields` names: all that is printed of each thing. */
  readonly fields: readonly string[] | undefined;
  /** Columns of the terminal; undefined where there is none, and nothing has to fit. */
  readonly width: number | undefined;
  readonly #utc: boolean;
  readonly #colors: boolean;

  readonly #io: Io;

  constructor(io: Io, common: Looks, textByDefault: boolean) {
    const terminal = io.isTerminal(STDOUT);
    this.#io = io;
    // Ids are for scripts, where stdout is no terminal.
    const text = terminal || textByDefault || common.quiet;
    this.format = common.json ? "json" : (common.format ?? (text ? "text" : "json"));
    this.json = this.format === "json";
    this.quiet = common.quiet;
    this.fields = common.fields?.split(",").map((name) => name.trim());
    this.width = terminal && !this.json ? io.columns : undefined;
    this.#utc = common.utc;
    this.#colors = !common.no_color && wantsColors(terminal, io.env);
  }

  /** What was asked for: one JSON document, or text for people; with `--quiet` no more of it than its ids. */
  async result(value: unknown, text: () => string, ids?: Ids): Promise<void> {
    if (this.json) return this.data(value);
    if (this.fields !== undefined) return this.write((await import("./picking.ts")).picture(this, value, this.fields));
    if (!this.quiet || !ids) return this.write(text());
    const { visibleLine } = await import("../../visible.ts");
    await this.write(ids.map((each) => visibleLine(typeof each === "string" ? each : each.id)).join("\n"));
  }

  /** The JSON of it. */
  async data(value: unknown): Promise<void> {
    const asked = this.fields === undefined ? value : (await import("./picking.ts")).pick(value, this.fields);
    await this.write(JSON.stringify(asked));
  }

  /** For a person: `5 min ago`, or by their own clock. */
  time(iso: string): string {
    return this.#utc ? iso : spokenTime(iso);
  }

  /** The same for what stays on the screen while time goes on. */
  clock(iso: string): string {
    return this.#utc ? iso : wallTime(iso);
  }

  /** One line of stdout. Resolves when it has been handed over, so that the process may end. */
  async write(line: string): Promise<void> {
    if (line !== "") await this.#io.write(STDOUT, `${line}\n`);
  }

  /** For the person waiting, not for the program reading. */
  note(text: string): void {
    if (!this.quiet && this.#io.isTerminal(STDERR)) void this.#io.write(STDERR, `${text}\n`);
  }

  /** What nobody asked for and somebody has to know, whatever reads stderr. */
  async tell(text: string): Promise<void> {
    await this.#io.write(STDERR, `${text}\n`);
  }

  bold(text: string): string {
    return this.#colors ? `\u001b[1m${text}\u001b[22m` : text;
  }

  dim(text: string): string {
    return this.#colors ? `\u001b[2m${text}\u001b[22m` : text;
  }
}

/** Or what has one. */
export type Ids = readonly (string | { id: string })[];

type Looks = Pick<SharedOptions, "json" | "format" | "no_color" | "quiet" | "fields" | "utc">;

/** As Node itself reads them: FORCE_COLOR counts where there is no terminal, and before NO_COLOR. */
function wantsColors(terminal: boolean, { FORCE_COLOR, NO_COLOR, TERM }: Io["env"]): boolean {
  if (FORCE_COLOR !== undefined) return !["0", "false"].includes(FORCE_COLOR);
  return terminal && !NO_COLOR && TERM !== "dumb";
}
