import type { Cli } from "./cli.ts";
import { Failure, isFailure } from "./failure.ts";

const INSTEAD = "A person runs it in a terminal of their own, or sets PARLEY_TOKEN to their token.";

/** The owner's credential lies in the data folder. What an agent runs must not do with it what agents may not. */
export function refuseAgents(cli: Cli): void {
  if (cli.runByAgent !== undefined)
    throw new Failure(
      "FORBIDDEN",
      `${cli.runByAgent} is set, so an agent runs this, and it is for people alone. ${INSTEAD}`,
    );
}

/** What the hub said to an agent, with why it was asked in that agent's name. */
export function toldToAgent(cli: Cli, agent: string | null, error: unknown): unknown {
  if (!isFailure(error, "FORBIDDEN")) return error;
  const who = agent ?? "an agent";
  return new Failure(
    "FORBIDDEN",
    `${error.message} ${cli.runByAgent} is set, so this was asked as ${who}. ${INSTEAD}`,
    { cause: error, ...(error.status !== undefined && { status: error.status }) },
  );
}
