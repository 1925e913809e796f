import { ACTING_OPTIONS, resolveActing } from "../core/acting.ts";
import { defineCommand, flag, integer, text } from "../core/command.ts";
import { waitOf } from "../core/duration.ts";
import { invalid } from "../core/failure.ts";
import { hintsFor } from "../hooks/command-hints.ts";
import { CLIENT } from "../hooks/events.ts";
import { BODY_LIMIT, digest, LIMIT } from "../hooks/mail.ts";
import { noteShown } from "./poll-shown.ts";
import { pollUntil } from "./poll-wait.ts";

const REWAKE_HAS_NO_TIMEOUT =
  "--rewake ends when its client, its session or its day does: leave out --timeout, or leave out --rewake.";

export const wait = defineCommand({
  examples: ["wait", "wait --timeout 10m", "wait --fresh --json"],
  details:
    "Waits at the hub, without asking again and again, also while the hub is started anew. Marks nothing read. Without --fresh it ends at once if there is unread mail. Exit code 0 when mail came and when the time is up. --rewake is for hooks: exit code 2 with the mail on stderr when it came, 0 when a later waiter took its place.",
  options: {
    ...ACTING_OPTIONS,
    timeout: text("TIME", "how long: 30s, 10m, 2h; for ever if left out"),
    fresh: flag("only for mail that was never offered"),
    rewake: flag("wake an idle session of an agent's client; takes its JSON on stdin"),
    client: CLIENT,
    while_pid: integer("PID", "ends when that process does", { minimum: 1 }),
  },
  async run(cli, { client, while_pid, rewake: forHook, fresh, timeout, ...as }) {
    if (forHook && timeout !== undefined)
      // To a client the usual exit code of a wrong command line would mean that there is mail.
      throw invalid(REWAKE_HAS_NO_TIMEOUT, { exit: 1 });
    if (forHook) return (await import("../hooks/rewake.ts")).rewake(cli, { client, while_pid, as });
    const wait_ms = waitOf("--timeout", timeout);
    // Whoever waits wants a hub. Later on it may be stopped on purpose, and is not started again.
    await resolveActing(cli, { ...as, start: !cli.noStart });
    const channel = "wait";
    cli.out.note(`Waiting for mail${timeout === undefined ? "" : `, at most ${timeout}`}. Ctrl-C ends it.`);
    // A program that reads JSON gets all of each.
    const body_limit = cli.out.json ? undefined : BODY_LIMIT;
    const args = { channel, fresh, limit: LIMIT, bodies: true, body_limit };
    const polled = await pollUntil(cli, as, { wait_ms, args, patient: true });
    const { messages } = polled;
    await cli.out.result(polled, () =>
      messages.length > 0 ? digest(polled, { hints: hintsFor(cli.linesFor(as), "claude") }) : "No mail came.",
    );
    await noteShown(cli, as, { channel, messages });
  },
});
