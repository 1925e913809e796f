import { resolve } from "node:path";
import { withoutPassword } from "../../local/settings.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand, flag, text } from "../core/command.ts";
import { Failure, INTERRUPTED, invalid, REFUSED } from "../core/failure.ts";
import { STDOUT } from "../core/io.ts";
import { loadHub } from "./program.ts";

export const serve = defineCommand({
  format: "text",
  examples: ["serve", "serve --port 9000", "serve --home ./data --port 0 --json"],
  details: "Ctrl-C or SIGTERM stops it, letting what has begun be finished; a second one stops it at once.",
  options: {
    port: text("N", "port to listen on; 0 takes a free one [PARLEY_PORT] [default 8765, or the folder's last one]"),
    host: text("HOST", "address to listen on [PARLEY_HOST] [default 127.0.0.1]"),
    database_url: text(
      "URL",
      "postgres://… without a password; SQLite in the data folder without it [PARLEY_DATABASE_URL]",
    ),
    database_url_file: text("FILE", "a file with that URL, in which there may be a password"),
    switch_database: flag("take this database, though the folder had another"),
    insecure: flag("listen beyond this machine although nothing is encrypted"),
  },
  async run(cli, { port, insecure, ...given }) {
    surviveReaders();
    refusePassword(given.database_url);
    const { readConfig, startHub, ...errors } = await loadHub();
    const hub = await refusing(cli, errors, () =>
      startHub(
        readConfig({
          ...given,
          home: cli.home.path,
          port: portOf(port),
          insecure: insecure || undefined,
          typed: cli.typed,
          database_url_file: given.database_url_file && resolve(given.database_url_file),
        }),
      ),
    );
    const stopped = untilStopped(cli, hub);
    const { url, home, pid } = hub;
    // It is a credential, and what is no terminal may be a log that others read.
    const login = cli.out.quiet || cli.out.json || !cli.io.isTerminal(STDOUT) ? undefined : await loginOf(hub, errors);
    await cli.out.result({ url, home, pid }, () => welcome(cli, { url, home, login }));
    // A hub that is killed later leaves its compiled code to the next one all the same.
    process.getBuiltinModule("node:module").flushCompileCache();
    await stopped;
  },
});

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw invalid(`A port is a number from 0 to 65535, not ${JSON.stringify(text)}.`, { exit: REFUSED });
}

/** Everybody on this machine sees what a process was started with. */
function refusePassword(database_url: string | undefined): void {
  if (database_url === undefined || withoutPassword(database_url).password === undefined) return;
  throw invalid(
    "A password on the command line is seen by everybody on this machine. Set PARLEY_DATABASE_URL instead, or name a file with the URL: --database-url-file FILE",
    { exit: REFUSED },
  );
}

/** Of the very hub that was loaded. */
type Errors = Pick<Awaited<ReturnType<typeof loadHub>>, "ParleyError" | "StartRefused">;

async function refusing<T>(cli: Cli, { ParleyError, StartRefused }: Errors, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof StartRefused) {
      const next = error.command === undefined ? "" : ` Run: ${cli.line(error.command)}`;
      throw new Failure("START_REFUSED", `${error.message}${next}`, { exit: REFUSED, cause: error });
    }
    // Not its fault, such as a database out of reach: the same command may well work in a minute.
    if (error instanceof ParleyError) throw new Failure(error.code, error.message, { cause: error });
    throw error;
  }
}

/** A hub that cannot write just now, its disk being full, serves all the same. */
async function loginOf(
  { url, loginPath }: { url: string; loginPath(): Promise<string> },
  { ParleyError }: Errors,
): Promise<string | undefined> {
  try {
    return url + (await loginPath());
  } catch (error) {
    if (error instanceof ParleyError) return undefined;
    throw error;
  }
}

/** Resolves when a signal has stopped the hub in good order; throws if the hub gave up by itself. */
async function untilStopped(cli: Cli, hub: { stop(): Promise<void>; failed: Promise<Error> }): Promise<void> {
  const signal = new Promise<void>((resolve) => {
    const stop = (exit: number) => () => {
      process.removeAllListeners("SIGINT").on("SIGINT", () => process.exit(INTERRUPTED));
      process.removeAllListeners("SIGTERM").on("SIGTERM", () => process.exit(exit));
      resolve();
    };
    process.removeAllListeners("SIGINT").on("SIGINT", stop(INTERRUPTED));
    process.on("SIGTERM", stop(128 + 15));
  });
  const error = await Promise.race([signal, hub.failed]);
  if (!error) cli.out.note("Stopping …");
  await hub.stop();
  if (error) throw new Failure("STORAGE_UNAVAILABLE", `The hub has ended itself: ${error.message}`, { cause: error });
}

/** Nobody reading what it prints is no reason for a hub to end. */
function surviveReaders(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.removeAllListeners("error").on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
}

function welcome(cli: Cli, { url, home, login }: { url: string; home: string; login: string | undefined }): string {
  return [
    `Parley is ready at ${cli.out.bold(url)}`,
    ...(login
      ? [`  open         ${cli.out.bold(login)}`, "               (signs one browser in, within 10 minutes)"]
      : [`  sign in      ${cli.line("login")}`]),
    `  data folder  ${home}`,
    `  next         ${cli.line("demo")}`,
    `  or           ${cli.line("token create --role agent --name scout")}`,
  ].join("\n");
}
