import { defineCommand, flag, text } from "../core/command.ts";
import { confirmed, YES } from "../core/confirm.ts";
import { commandOf } from "../core/exit-code.ts";
import { Failure, invalid } from "../core/failure.ts";
import { rows } from "../core/fields.ts";
import { MOST_PENDING, Outbox, type Queued, type Refused } from "./outbox.ts";

const COLUMNS = ["key", "queued_at", "command", "as", "about", "refused"];

export const list = defineCommand({
  examples: ["queue list", "queue list --json"],
  details: "What waits for the hub, and what the hub refused, with the reason.",
  async run(cli) {
    const outbox = new Outbox(cli.home);
    const [pending, refused] = [outbox.all(), outbox.refused.all()];
    const all = [...pending, ...refused];
    await cli.out.result(
      { pending, refused },
      () => (all.length === 0 ? "Nothing waits." : rows(cli.out, all.map(row), COLUMNS)),
      all.map(({ key }) => key),
    );
  },
});

function row(entry: Queued | Refused): Record<string, unknown> {
  const { key, queued_at, tool, sender, args } = entry;
  return {
    key,
    queued_at,
    command: commandOf(tool) ?? tool,
    as: sender.agent ?? sender.session_id ?? (sender.token_hash ? "PARLEY_TOKEN" : "yourself"),
    about: args.subject ?? args.id,
    refused: "reason" in entry ? `${entry.code}: ${entry.reason}` : undefined,
  };
}

export const drain = defineCommand({
  examples: ["queue drain"],
  details: "Sends what waits now. Every command that reaches the hub does it too.",
  async run(cli) {
    await cli.connect();
    const drained = await (await import("./drain.ts")).drain(cli);
    if (drained.left > 0) cli.io.exitCode = 1;
    await cli.out.result(drained, () =>
      [`${drained.delivered} sent`, `${drained.refused} refused`, `${drained.left} left`].join(", "),
    );
  },
});

export const clear = defineCommand({
  examples: [
    "queue clear --refused",
    "queue clear --all --dry-run",
    "queue clear --key 0199c7a1-2b3c-7d4e-8f50-112233445566",
  ],
  details: "Throws away what waits: it is never sent. Say which.",
  options: {
    all: flag("everything, waiting and refused"),
    refused: flag("what was refused"),
    key: text("KEY", "one of them"),
    dry_run: flag("only say how many it would be"),
    ...YES,
  },
  async run(cli, { all, refused, key, dry_run, yes }) {
    if (!all && !refused && key === undefined) throw invalid("Say --all, --refused or --key KEY.");
    const outbox = new Outbox(cli.home);
    const wanted = (each: string): boolean => key === undefined || each === key;
    const waiting = all || key !== undefined ? outbox.keys().filter(wanted) : [];
    const over = outbox.refused.keys().filter(wanted);
    if (key !== undefined && waiting.length + over.length === 0)
      throw new Failure("NOT_FOUND", `Nothing in the outbox has the key ${key}.`);
    const keys = [...waiting, ...over];
    if (dry_run) return cli.out.result({ dry_run: true, keys }, () => `Would throw away ${keys.length}.`);
    const question = `Throw away ${keys.length} that ${keys.length === 1 ? "was" : "were"} never sent?`;
    if (keys.length > 0 && !(await confirmed(cli, { yes, question }))) return cli.out.write("Nothing was thrown away.");
    // Another command may have sent one of them meanwhile.
    const cleared =
      waiting.filter((each) => outbox.remove(each)).length + over.filter((each) => outbox.refused.remove(each)).length;
    await cli.out.result({ cleared }, () => `Threw away ${cleared}.`, []);
  },
});

export const stats = defineCommand({
  examples: ["queue stats"],
  async run(cli) {
    const outbox = new Outbox(cli.home);
    const pending = outbox.keys();
    const [first] = pending;
    const oldest_at = first === undefined ? null : (outbox.read(first)?.queued_at ?? null);
    const counted = { pending: pending.length, refused: outbox.refused.keys().length, most: MOST_PENDING, oldest_at };
    await cli.out.result(counted, () => rows(cli.out, [counted], ["pending", "refused", "most", "oldest_at"]));
  },
});
