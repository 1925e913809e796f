import { visible, visibleLine } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand, flag, type Typed, text } from "../core/command.ts";
import { answeredYes, isAskable } from "../core/confirm.ts";
import { Failure, invalid } from "../core/failure.ts";
import { runByAgent } from "../core/identity-env.ts";
import type { Io } from "../core/io.ts";
import { diff } from "./diff.ts";
import { CLIENT } from "./events.ts";
import { wanted } from "./handlers.ts";
import { type Change, planInstall, planUninstall } from "./installation.ts";
import { launchFor, SCOPES, settingsPath } from "./settings-paths.ts";
import { look } from "./state.ts";

const WHERE = {
  client: CLIENT,
  scope: text("SCOPE", "user: all your projects; project: this one, shared; local: this one, yours alone", {
    choices: SCOPES,
    default: "user",
  }),
} as const;

const HOW = {
  dry_run: flag("show the change, and change nothing"),
  yes: flag("do not ask; needed where nobody can be asked", { short: "y" }),
} as const;

const SHARED =
  "The file belongs to the project, and calls Parley by its path on this machine: --scope local keeps it to yourself.";
const TRUST = "Codex runs a new hook only once you have looked at it: open Codex and say /hooks.";
const NO_NOTICE = "Codex tells hooks of permissions it asks for, of no other notice.";

export const install = defineCommand({
  examples: ["hooks install", "hooks install --dry-run", "hooks install --client codex", "hooks install --scope local"],
  details:
    "Mail then reaches the sessions of your agents by itself. Shows the change first, keeps everything else that is in the settings, and a copy beside them. Take it back: parley hooks uninstall",
  options: {
    ...WHERE,
    ...HOW,
    no_wake: flag("do not wake idle sessions when mail comes"),
  },
  async run(cli, { client, scope, dry_run, yes, no_wake }) {
    refuseAgent(cli.io, dry_run);
    const launch = launchFor(cli, client, !no_wake);
    const change = planInstall(cli.home.path, settingsPath(client, scope), wanted(client, launch));
    const notes = [
      ...(launch.note ? [launch.note] : []),
      ...(scope === "project" ? [SHARED] : []),
      ...(client === "codex" ? [TRUST, NO_NOTICE] : []),
    ];
    await carryOut(cli, change, { client, scope, dry_run, yes, notes, done: "Installed in" });
  },
});

export const uninstall = defineCommand({
  examples: ["hooks uninstall", "hooks uninstall --client codex", "hooks uninstall --dry-run"],
  details:
    "If nobody changed the settings since, they are what they were before, byte for byte. Otherwise only what is ours goes.",
  options: { ...WHERE, ...HOW },
  async run(cli, { client, scope, dry_run, yes }) {
    refuseAgent(cli.io, dry_run);
    const change = planUninstall(cli.home.path, settingsPath(client, scope));
    await carryOut(cli, change, { client, scope, dry_run, yes, notes: [], done: "Removed from" });
  },
});

export const status = defineCommand({
  examples: ["hooks status", "hooks status --json"],
  details: "Exit code 0 when they are installed somewhere and are what this version installs, 1 when not.",
  async run(cli) {
    const found = look(cli);
    const good = found.filter(({ installed, problems }) => installed && problems.length === 0);
    cli.io.exitCode = good.length > 0 ? 0 : 1;
    const none = found.every(({ installed }) => !installed);
    await cli.out.result({ installed: good.length > 0, settings: found }, () =>
      [
        ...found.map(({ client, scope, path, installed, events, problems, advice, called_at }) =>
          [
            `${client} ${scope}: ${installed ? `installed (${events.join(", ")})` : "not installed"}, ${visibleLine(path)}`,
            ...problems.map((problem) => `  ${visibleLine(problem)}`),
            ...(advice === null ? [] : [`  ${visibleLine(advice)}`]),
            ...(installed && called_at === null ? ["  No session has called them yet as they are now."] : []),
          ].join("\n"),
        ),
        ...(none ? [`Next: ${cli.line("hooks install")}`] : []),
      ].join("\n"),
    );
  },
});

interface Work extends Typed<typeof WHERE & typeof HOW> {
  notes: readonly string[];
  done: string;
}

async function carryOut(cli: Cli, change: Change, { client, scope, dry_run, yes, notes, done }: Work): Promise<void> {
  const { path } = change.file;
  const changed = change.before !== change.after;
  const shown = diff(change.before, change.after);
  if (changed && !cli.out.json) await cli.out.write(`${visibleLine(path)}\n${visible(shown)}\n`);
  const go = changed && !dry_run && (yes || (await agreed(cli)));
  const backup = go ? change.apply() : undefined;
  const result = { client, scope, settings_path: path, changed: go, diff: shown, backup: backup ?? null, notes };
  await cli.out.result(result, () => {
    if (!changed) return `Nothing to change in ${visibleLine(path)}.`;
    if (!go) return "Nothing was changed.";
    const kept = backup ? [`What was there before: ${visibleLine(backup)}`] : [];
    return [`${done} ${visibleLine(path)}.`, ...kept, ...notes].join("\n");
  });
}

/** These settings decide what runs on the person's machine. No token of anybody's makes that an agent's to change. */
function refuseAgent({ env }: Io, dry_run: boolean): void {
  const variable = runByAgent(env);
  if (variable === undefined || dry_run) return;
  throw new Failure(
    "FORBIDDEN",
    `${variable} is set, so an agent runs this, and a client's settings are changed by people alone. Run it in a terminal of your own.`,
  );
}

/** A person at a terminal is asked. Where nobody can be, somebody has to have said so before. */
async function agreed(cli: Cli): Promise<boolean> {
  if (!isAskable(cli))
    throw invalid("Nobody can be asked here whether to write it: say --yes, or --dry-run to see it first.");
  return answeredYes("Write it?");
}
