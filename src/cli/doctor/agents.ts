import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ifThere } from "../../local/files.ts";
import type { Cli } from "../core/cli.ts";
import { Client, type Target } from "../core/client.ts";
import { recover } from "../core/failure.ts";
import { placeOf } from "../core/home.ts";
import type { AgentFile } from "../core/identity-files.ts";
import { jsonIn } from "../core/io.ts";
import { counted } from "../core/words.ts";
import { readText } from "../hooks/fixed-tokens.ts";
import { type Installed, look } from "../hooks/state.ts";
import { type Check, fail, type Patient, pass, warn } from "./check.ts";
import { checkOneIdentity } from "./one-identity.ts";

/** So many of them are tried at the hub: the last ones used. */
const MOST_TRIED = 20;

/** Who acts here, and how mail gets to them. */
export async function checkAgents({ cli }: Patient): Promise<Check[]> {
  const found = look(cli);
  const installed = found.filter((each) => each.installed);
  return [
    await identities(cli),
    ...checkOneIdentity(cli, installed),
    ...hooks(cli, found, installed),
    ...installed.map((each) => wakePath(cli, each)),
  ];
}

async function identities(cli: Cli): Promise<Check> {
  const files = remembered(join(cli.home.path, "identities", "agents"));
  if (files.length === 0)
    return pass("identities", "No agent acted from this machine yet; a session becomes one with its first hook.");
  const hub = cli.url ? undefined : cli.home.hub();
  const count = `${counted(files.length, "agent")} acted from this machine.`;
  if (!hub) return pass("identities", count);
  const tried = await Promise.all(files.slice(0, MOST_TRIED).map((file) => isTaken(placeOf(hub), file)));
  const refused = tried.flatMap((taken, at) => (taken ? [] : [files[at]?.agent ?? ""]));
  if (refused.length === 0) return pass("identities", count);
  return warn(
    "identities",
    `The hub no longer takes the tokens of ${refused.slice(0, 5).join(", ")}.`,
    "Nothing to do if they are done with; their next hook asks for a new one.",
  );
}

type Remembered = Pick<AgentFile, "agent" | "token" | "space">;

function remembered(folder: string): Remembered[] {
  const found = ifThere(() => readdirSync(folder, { recursive: true, withFileTypes: true })) ?? [];
  return found.flatMap((entry) => {
    const { agent, token, space } = entry.isFile() ? parsed(join(entry.parentPath, entry.name)) : {};
    const whole = typeof agent === "string" && typeof token === "string" && typeof space === "string";
    return whole ? [{ agent, token, space }] : [];
  });
}

/** Half of one says nothing: it is made again when it is needed. */
const parsed = (path: string): Record<string, unknown> => Object(jsonIn(readText(path) ?? ""));

const isTaken = (place: Pick<Target, "url" | "socket">, { token, space }: Remembered): Promise<boolean> =>
  new Client({ ...place, token, space })
    .call("whoami", {}, { timeout_ms: 10_000 })
    .then(() => true, recover(false, "UNAUTHENTICATED"))
    .catch(recover(true));

function hooks(cli: Cli, found: readonly Installed[], installed: readonly Installed[]): Check[] {
  const troubled = found.filter(({ problems }) => problems.length > 0);
  if (troubled.length > 0)
    return troubled.map(({ client, scope, path, problems, advice, installed }) => {
      const sentence = `${client} ${scope}, ${path}: ${problems.join("; ")}.`;
      // Hooks that are there and do not work are worse than none: somebody counts on them.
      return (installed ? fail : warn)("hooks", sentence, advice ?? cli.line("hooks status"));
    });
  if (installed.length === 0)
    return [
      warn("hooks", "No client tells its sessions of mail.", `${cli.line("hooks install")} (--client codex for Codex)`),
    ];
  return installed.map(({ client, scope, called_at }) =>
    called_at === null
      ? warn(
          "hooks",
          `Installed for ${client} (${scope}), but no session has called them since.`,
          `Start ${client === "claude" ? "Claude Code" : "Codex"} anew and say something, then: ${cli.line("doctor")}`,
        )
      : pass("hooks", `Installed for ${client} (${scope}), and last called ${cli.out.time(called_at)}.`),
  );
}

function wakePath(cli: Cli, { client, wakes, problems, called_at }: Installed): Check {
  const name = `wake ${client}`;
  const way = client === "claude" ? "a waiter beside the session (asyncRewake)" : "codex queue";
  if (!wakes)
    return warn(
      name,
      "Idle sessions learn of mail only when somebody speaks to them.",
      client === "claude"
        ? `Update Claude Code, then: ${cli.line("hooks install")}. Or use a channel: ${cli.line("mcp --channel")}`
        : `Update Codex until it has \`codex queue\`, then: ${cli.line("hooks install --client codex")}`,
    );
  // What begins the waiter is a hook: where those do not run, nobody waits either.
  if (problems.length > 0 || called_at === null)
    return warn(name, `Idle sessions are to be woken by ${way}, which their hooks begin.`, "See to the hooks first.");
  return pass(name, `Idle sessions are woken by ${way}.`);
}
