import { isObject } from "../../client/errors.ts";
import { visibleLine } from "../../visible.ts";
import { ACTING_OPTIONS, type As, resolveActing } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import { Client } from "../core/client.ts";
import { defineCommand } from "../core/command.ts";
import { isFailure, recover } from "../core/failure.ts";
import { heading, shown } from "../core/fields.ts";
import type { RunningHub } from "../core/home.ts";
import { table } from "../core/table.ts";
import { counted } from "../core/words.ts";

interface Status extends Record<string, unknown> {
  /** `ready`, `not ready` or, when there is none, `stopped`. */
  status: string;
  home?: string;
  url?: string;
  pid?: number;
  version?: string;
  /** Whose mail is counted. */
  agent?: string;
  unread?: number;
  urgent?: number;
  /** How much waits for them, where that is a person. */
  needs?: number;
  /** Of tasks, to a person: how many wait, are worked on and are dead. */
  tasks?: Readonly<Record<string, number>>;
  /** Since when nothing is started, and who said so. */
  paused_at?: string;
  paused_by?: string;
}

export const status = defineCommand({
  examples: ["status", "status --json", "status --agent scout --format context"],
  details:
    "With how much mail you have not read and, to a person, how much waits for them, how many tasks there are, and whether somebody has paused the space. With --format context one line for a model, and nothing when there is none. Exit code 0 when the hub is ready, 1 when it is not. It never starts one.",
  formats: ["context"],
  options: ACTING_OPTIONS,
  async run(cli, as) {
    const hub = await look(cli);
    const status = hub.status === "ready" ? { ...hub, ...(await whatWaits(cli, as)) } : hub;
    cli.io.exitCode = status.status === "ready" ? 0 : 1;
    if (cli.out.format === "context") return cli.out.write(inOneLine(status));
    await cli.out.result(status, () => describe(cli, status));
  },
});

/** Nothing where nobody is named for whom it could wait: that says nothing about the hub. */
async function whatWaits(cli: Cli, as: As): Promise<Partial<Status>> {
  try {
    const { client } = await resolveActing(cli, { ...as, start: false, make: false });
    const list = await client.call("mail_inbox", { unread: true, overview: true, limit: 100 }, { timeout_ms: 5_000 });
    const urgent = list.messages.filter(({ priority }) => priority === "urgent").length;
    const needs = list.overview?.needs ?? undefined;
    const mail = { agent: list.agent, unread: list.unread, urgent };
    return needs === undefined ? mail : { ...mail, needs, ...(await whatIsQueued(client)) };
  } catch (error) {
    if (isFailure(error) && as.agent === undefined && as.session_id === undefined) return {};
    throw error;
  }
}

/** To a person: what workers have to do, and whether somebody has said that nothing is to be started. */
async function whatIsQueued(client: Client): Promise<Pick<Status, "tasks" | "paused_at" | "paused_by">> {
  const wait = { timeout_ms: 5_000 };
  const { by_status } = await client.call("inbox_stats", {}, wait);
  const { pending = 0, processing = 0, dead = 0 } = by_status;
  const { paused_at, paused_by } = await client.call("run_list", { limit: 1 }, wait);
  const pause = paused_at !== null && { paused_at, ...(paused_by !== null && { paused_by }) };
  return { tasks: { pending, processing, dead }, ...pause };
}

function inOneLine({ unread = 0, urgent = 0 }: Status): string {
  if (unread === 0) return "";
  return `[Parley] ${urgent > 0 ? `${urgent} urgent, ` : ""}${counted(unread, "unread message")}`;
}

async function look(cli: Cli): Promise<Status> {
  const hub = cli.home.hub();
  const client = strangersIf(cli.runByAgent !== undefined, cli.find());
  const place = cli.url ? { url: cli.url } : { home: cli.home.path };
  if (!client) return { status: "stopped", ...place };
  const about = cli.url ? place : { ...place, ...facts(hub) };
  const answer = await ask(client);
  if (!answer) return { ...about, status: "not ready", reason: "It does not answer." };
  const status = answer.status === 200 ? "ready" : "not ready";
  return { ...about, ...(isObject(answer.body) && answer.body), status };
}

/** What an agent runs asks nothing as the owner, and how the hub fares is told to everybody. */
const strangersIf = (agent: boolean, client: Client | undefined): Client | undefined =>
  agent && client ? new Client({ ...client.target, token: undefined }) : client;

function facts(hub: RunningHub | undefined): Partial<Status> {
  return hub ? { url: hub.url, pid: hub.pid, version: hub.version, started_at: hub.started_at } : {};
}

async function ask(client: Client): Promise<{ status: number; body: unknown } | undefined> {
  const get = (path: string) => client.get(path, 5_000).catch(recover(undefined));
  const answer = await get("/readyz?verbose");
  // A credential that the hub does not know says nothing about its health.
  return answer?.status === 401 || answer?.status === 403 ? get("/readyz") : answer;
}

function describe(cli: Cli, status: Status): string {
  const { status: state, home, url, agent, unread, urgent, needs, ...rest } = status;
  if (state === "stopped") return `No hub runs on ${home}.\nNext: ${cli.line("serve")}`;
  const mail = agent !== undefined && { mail: `${unread} unread for ${agent}, ${urgent} urgent` };
  const waiting = needs !== undefined && { "needs you": needs };
  const rows = Object.entries({ ...(home && { "data folder": home }), ...rest, ...mail, ...waiting }).map(
    ([name, value]) => [
      ` ${heading(name)}`,
      isObject(value) ? visibleLine(listed(value)) : shown(cli.out, name, value),
    ],
  );
  const headline = state === "ready" ? `The hub is ready at ${url}` : `The hub at ${url} is not ready.`;
  const next =
    state === "ready"
      ? cli.line(needs ? "needs" : rest.paused_at ? "resume" : unread ? "inbox" : "chat tail")
      : home
        ? `see ${cli.home.log}, then ${cli.line("stop")}`
        : "look at its log";
  return [cli.out.bold(headline), table(rows, cli.out.width), `Next: ${next}`].join("\n");
}

const listed = (checks: Record<string, unknown>): string =>
  Object.entries(checks)
    .map(([name, state]) => `${name} ${state}`)
    .join(", ");
