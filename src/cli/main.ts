import { findEntry, GROUPS } from "./commands.ts";
import { Cli } from "./core/cli.ts";
import { COMMON, type Entry, flag, type Options } from "./core/command.ts";
import { Failure, INTERRUPTED } from "./core/failure.ts";
import { type Io, isUnread, PROCESS, STDERR, STDOUT } from "./core/io.ts";
import { lookUp, parse } from "./core/parse.ts";

/** Runs one command line and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  // Set by bin/parley for this process. What we start must not fill a cache that is none of its own.
  delete process.env.NODE_COMPILE_CACHE;
  const line = new CommandLine(argv, PROCESS);
  // Those who write to the streams of `process` hear here that nobody reads them.
  process.on("uncaughtException", (error) => {
    if (isUnread(error)) process.exit();
    // Where even that cannot be said, as when the program's own files are gone, it ends all the same.
    line.report(error).then(
      (code) => process.exit(code),
      () => process.exit(1),
    );
  });
  process.on("SIGINT", () => process.exit(INTERRUPTED));
  // Nothing of a finished command may keep the process: not a socket kept alive, not a timer.
  process.exit(await line.run());
}

/** Runs one command line to its end, and gives its exit code. For commands that end by themselves. */
export const runCli = (argv: readonly string[], io: Io): Promise<number> => new CommandLine(argv, io).run();

class CommandLine {
  readonly #argv: readonly string[];
  readonly #io: Io;
  /** The command that runs: it knows which hub it speaks to, and so do the commands that its errors name. */
  #running: Cli | undefined;

  constructor(argv: readonly string[], io: Io) {
    this.#argv = argv;
    this.#io = io;
  }

  async run(): Promise<number> {
    try {
      await this.#runCommand();
      return this.#io.exitCode;
    } catch (error) {
      if (!(error instanceof Failure && alwaysBlocks(this.#argv))) return this.report(error);
      await this.#io.write(STDOUT, `${(await import("./mail/poll.ts")).blockOn(error)}\n`);
      return 0;
    }
  }

  async #runCommand(): Promise<void> {
    const argv = this.#argv;
    const { words, places } = commandWords(argv);
    const asked = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : argv.length);
    const has = (...flags: string[]): boolean => asked.some((arg) => flags.includes(arg));
    const format = has("--json") ? ["--json"] : [];

    if (has("--help", "-h")) return this.#start("help", [...format, ...words]);
    if (words.length === 0 && has("--version", "-V")) return this.#start("version", ["--format=text", ...format]);
    if (words.length === 0) return this.#start("help", argv);
    const entry = await find(words);
    await this.#start(
      entry.name,
      argv.filter((_, at) => !places.includes(at)),
    );
  }

  async #start(name: string, rest: readonly string[]): Promise<void> {
    const io = this.#io;
    const command = await (await find(name.split(" "))).load();
    const { common, typed, given } = parse(command, rest, io.env);
    const words = [...name.split(" "), ...rest];
    const named = new Cli({ io, words, common, typed, textByDefault: command.format === "text" });
    this.#running = named;
    // What the environment names was not typed, and is whole.
    const cli = typed.has("space") ? await (await import("./core/whole-space.ts")).inWholeSpace(named) : named;
    this.#running = cli;
    if (command.people) (await import("./core/people.ts")).refuseAgents(cli);
    // The parser has checked `given` against the very options and positionals that `run` was typed by.
    await command.run(cli, given as never);
  }

  /** Says what went wrong, and gives the exit code. A stack is shown only for a bug of ours. */
  async report(error: unknown): Promise<number> {
    const { exitCodeOf, refusedBySystem, sentenceOf } = await import("./core/exit-code.ts");
    const json = wantsJson(this.#argv, this.#io);
    const failure = error instanceof Failure ? error : refusedBySystem(error);
    const code = failure?.code ?? "INTERNAL";
    const message = failure
      ? sentenceOf(failure, phrasingOf(this.#running, json))
      : `Internal error. ${error instanceof Error ? error.stack : String(error)}`;
    const shown = async (): Promise<string> => `parley: ${(await import("../visible.ts")).visible(message)}`;
    const text = json ? JSON.stringify({ error: { code, message } }) : await shown();
    await this.#io.write(STDERR, `${text}\n`);
    return failure ? exitCodeOf(failure) : 1;
  }
}

/** What knows which one was meant is loaded only when there is none. */
const find = async (words: readonly string[]): Promise<Entry> =>
  findEntry(words.join(" ")) ?? (await import("./help/find.ts")).findCommand(words);

const BEFORE_COMMAND: Options = { ...COMMON, version: flag("say which version", { short: "V" }) };

/** The one or two words that name the command, and where they stand: common options may come before each. */
function commandWords(argv: readonly string[]): { words: string[]; places: number[] } {
  const first = wordAt(argv, 0);
  const word = argv[first];
  if (word === undefined) return { words: [], places: [] };
  if (!GROUPS.has(word)) return { words: [word], places: [first] };
  const second = wordAt(argv, first + 1);
  const verb = argv[second];
  return verb === undefined ? { words: [word], places: [first] } : { words: [word, verb], places: [first, second] };
}

/** Where the next word stands that is neither an option nor an option's value. */
function wordAt(argv: readonly string[], from: number): number {
  let at = from;
  for (let arg = argv[at]; arg?.startsWith("-"); arg = argv[at]) {
    const { option, inline } = lookUp(BEFORE_COMMAND, arg);
    at += option.type === "flag" || inline !== undefined ? 1 : 2;
  }
  return at;
}

/** A Stop hook that is mistyped must keep its agent alive all the same. Asked of the bare command line, as below. */
const alwaysBlocks = (argv: readonly string[]): boolean =>
  argv.includes("poll") && argv.some((arg) => arg.split("=", 1)[0] === "--always-block");

/** Asked of the bare command line, since parsing it may be what failed. */
function wantsJson(argv: readonly string[], io: Io): boolean {
  if (argv.includes("--json") || argv.includes("--format=json")) return true;
  if (argv.includes("--format")) return argv[argv.indexOf("--format") + 1] === "json";
  if (argv.some((arg) => arg.startsWith("--format=") || ["--help", "-h", "--version", "-V"].includes(arg)))
    return false;
  const command = argv.find((arg) => !arg.startsWith("-"));
  return !io.isTerminal(STDOUT) && command !== "serve" && command !== "help";
}

/** How an error names commands and times. A program gets times as the hub has them. */
const phrasingOf = (cli: Cli | undefined, json: boolean) =>
  cli && {
    line: (command: string) => cli.line(command),
    time: (iso: string) => (json ? iso : cli.out.clock(iso)),
  };
