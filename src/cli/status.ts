import type { Cli } from "./cli.ts";
import type { Client } from "./client.ts";
import { defineCommand } from "./command.ts";
import { Failure } from "./failure.ts";
import type { RunningHub } from "./home.ts";
import { table } from "./output.ts";
import { visibleLine } from "./visible.ts";

interface Status extends Record<string, unknown> {
  /** `ready`, `not ready` or, when there is none, `stopped`. */
  status: string;
  home?: string;
  url?: string;
  pid?: number;
  version?: string;
}

export const status = defineCommand({
  examples: ["status", "status --json"],
  details: "Exit code 0 when the hub is ready, 1 when it is not. It never starts one.",
  async run(cli) {
    const status = await look(cli);
    process.exitCode = status.status === "ready" ? 0 : 1;
    await cli.out.result(status, () => describe(cli, status));
  },
});

async function look(cli: Cli): Promise<Status> {
  const hub = cli.home.hub();
  const client = cli.find();
  const place = cli.url ? { url: cli.url } : { home: cli.home.path };
  if (!client) return { status: "stopped", ...place };
  const about = cli.url ? place : { ...place, ...facts(hub) };
  const answer = await ask(client);
  if (!answer) return { ...about, status: "not ready", reason: "It does not answer." };
  const status = answer.status === 200 ? "ready" : "not ready";
  return { ...about, ...(isObject(answer.body) && answer.body), status };
}

function facts(hub: RunningHub | undefined): Partial<Status> {
  return hub ? { url: hub.url, pid: hub.pid, version: hub.version, started_at: hub.started_at } : {};
}

async function ask(client: Client): Promise<{ status: number; body: unknown } | undefined> {
  try {
    const answer = await client.get("/readyz?verbose", 5_000);
    // A credential that the hub does not know says nothing about its health.
    return answer.status === 401 || answer.status === 403 ? await client.get("/readyz", 5_000) : answer;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

function describe(cli: Cli, status: Status): string {
  const { status: state, home, url, ...rest } = status;
  if (state === "stopped") return `No hub runs on ${home}.\nNext: ${cli.line("serve")}`;
  const rows = Object.entries({ ...(home && { "data folder": home }), ...rest }).map(([name, value]) => [
    ` ${name.replaceAll("_", " ")}`,
    visibleLine(isObject(value) ? listed(value) : String(value)),
  ]);
  const headline = state === "ready" ? `The hub is ready at ${url}` : `The hub at ${url} is not ready.`;
  const next =
    state === "ready"
      ? cli.line("chat tail")
      : home
        ? `see ${cli.home.log}, then ${cli.line("stop")}`
        : "look at its log";
  return [cli.out.bold(headline), table(rows), `Next: ${next}`].join("\n");
}

const listed = (checks: Record<string, unknown>): string =>
  Object.entries(checks)
    .map(([name, state]) => `${name} ${state}`)
    .join(", ");

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
