import type { Cli } from "./cli.ts";
import { flag, type Options } from "./command.ts";
import { INTERRUPTED, invalid } from "./failure.ts";
import { STDERR } from "./io.ts";

/** For every command that deletes something. */
export const YES = { yes: flag("do not ask", { short: "y" }) } as const satisfies Options;

interface Asked {
  yes: boolean;
  /** Made only where it is asked, if that takes a call. */
  question: string | (() => Promise<string>);
}

/**
 * Whether to go on with what cannot be taken back. A person at a terminal is asked; a program has to have said so, and
 * is refused otherwise: it must not delete anything that nobody decided to delete.
 */
export async function confirmed(cli: Cli, { yes, question }: Asked): Promise<boolean> {
  if (yes) return true;
  const asked = typeof question === "string" ? question : await question();
  if (!isAskable(cli)) throw invalid(`${asked} There is no terminal to ask at: say --yes. Nothing was changed.`);
  return answeredYes(asked);
}

/** Whether somebody sits there to be asked. */
export const isAskable = ({ out, io }: Cli): boolean => !out.json && io.stdin.isTTY === true && io.isTerminal(STDERR);

/** At a terminal. */
export const answeredYes = async (question: string): Promise<boolean> =>
  /^y(es)?$/i.test(await answerTo(`${question} [y/N] `));

/** The same where a slip of the hand is not to be enough. */
export const answeredWord = async (question: string, word: string): Promise<boolean> =>
  (await answerTo(`${question} Type ${word}: `)).toLowerCase() === word;

interface Shown {
  title: string;
  /** Below it, as they are. */
  lines: readonly string[];
}

/** Shows all of it above the question. Where nobody can be asked, whoever decides is taken to have seen it. */
export async function seen(cli: Cli, things: readonly Shown[], ask: () => Promise<boolean>): Promise<boolean> {
  if (!isAskable(cli)) return true;
  for (const { title, lines } of things) await cli.out.tell([`  ${cli.out.bold(title)}`, ...lines].join("\n"));
  return ask();
}

/** Ctrl-D is a no, and Ctrl-C ends the command as it does everywhere. */
async function answerTo(question: string): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  lines.on("SIGINT", () => {
    process.stderr.write("\n");
    process.exit(INTERRUPTED);
  });
  const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("\n")));
  try {
    const answer = await Promise.race([lines.question(question), closed]);
    // Ctrl-D leaves the cursor behind the question.
    if (answer === "\n") process.stderr.write(answer);
    return answer.trim();
  } finally {
    lines.close();
  }
}
