import { isObject } from "../../client/errors.ts";
import { ifThere } from "../../local/files.ts";
import { readOwn } from "../../local/rights.ts";
import { resolveActing } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import { Client, type Target, transportTo } from "../core/client.ts";
import { type Failure, recover } from "../core/failure.ts";
import { type Check, fail, type Patient, pass, said, VERSION, warn } from "./check.ts";
import { roundTrips } from "./mcp.ts";

const PATIENCE_MS = 10_000;
/** Longer than any of ours lasts. */
const LONGEST_SNAPSHOT_S = 60;
const SKEW_S = 3;
const DAY_MS = 86_400_000;

/** Whether the hub answers, as whom, in which time, and whether an agent could speak to it in both eras of MCP. */
export const checkHub = ({ cli }: Patient): Promise<Check[]> =>
  checkReached(cli).catch(said(({ message }) => [fail("hub", message, `See: ${cli.line("help token create")}`)]));

async function checkReached(cli: Cli): Promise<Check[]> {
  const client = await reach(cli);
  if (!client) {
    const none = `No hub runs on ${cli.home.path}`;
    const why = lastRefusal(cli.home.log);
    if (why)
      return [
        warn(
          "hub",
          `${none}. The last one that a command started said: ${why}`,
          `Mend that, then: ${cli.line("serve")}`,
        ),
      ];
    const advice = `Commands start it when they need it; hooks do not: ${cli.line("serve")}`;
    return [warn("hub", `${none}.`, advice)];
  }
  const stop = `See hub.log in the data folder, then: ${cli.line("stop")}`;
  const answered = await ready(cli, client).catch(said(({ message }) => fail("hub", message, stop)));
  if (answered.state === "fail") return [answered];
  const { target } = client;
  const tried = await clock(target);
  if (!target.token) return [answered, tried];
  return [answered, tried, ...(await tokens(cli, client).catch(said(noToken))), ...(await roundTrips(target))];
}

/** A hub that does not start says why, and then no more. */
const lastRefusal = (log: string): string | undefined =>
  /\nparley: (.*)\n$/.exec(`\n${ifThere(() => readOwn(log)) ?? ""}`)?.[1];

/** As whoever runs this; an agent that is nobody yet has no token to try. */
async function reach(cli: Cli): Promise<Client | undefined> {
  const found = cli.find();
  if (cli.runByAgent === undefined || !found) return found;
  const nobody = new Client({ ...found.target, token: undefined });
  return resolveActing(cli, { start: false, make: false }).then(({ client }) => client, recover(nobody, "NO_IDENTITY"));
}

async function ready(cli: Cli, client: Client): Promise<Check> {
  const { url } = client.target;
  const { status, body } = await client.get("/readyz?verbose", PATIENCE_MS);
  const about = isObject(body) ? body : {};
  if (status === 401 || status === 403) return pass("hub", `It answers at ${url}.`);
  if (status !== 200) {
    const checks = isObject(about.checks) ? Object.values(about.checks).filter((state) => state !== "ok") : [];
    return fail("hub", `It is not ready: ${checks.join(" ") || `HTTP ${status}`}`, "See hub.log in the data folder.");
  }
  if (about.version !== VERSION)
    return warn(
      "hub",
      `It is Parley ${about.version}, and this is ${VERSION}.`,
      `Start it anew: ${cli.line("stop")}, then ${cli.line("serve")}`,
    );
  const held_s = about.oldest_snapshot_seconds;
  if (typeof held_s === "number" && held_s > LONGEST_SNAPSHOT_S)
    return warn(
      "hub",
      `A transaction on its database has been open for ${held_s} s: every write gets slower.`,
      "See pg_stat_activity for who holds it, such as a forgotten psql.",
    );
  return pass("hub", `Ready at ${url}: Parley ${VERSION}, ${about.backend}.`);
}

/** As far as a header tells, which counts in seconds. */
async function clock(target: Target): Promise<Check> {
  const before = Date.now();
  const { date } = await transportTo(target, PATIENCE_MS)({ method: "GET", path: "/livez", headers: {} });
  const after = Date.now();
  const theirs = Date.parse(date ?? "");
  if (Number.isNaN(theirs))
    return warn("clock", "The hub does not say what time it has.", "See whether a proxy removes the Date header.");
  const skew_s = Math.max((before - 1000 - theirs) / 1000, (theirs - after) / 1000, 0);
  if (skew_s <= SKEW_S) return pass("clock", "The hub has the same time.");
  return warn(
    "clock",
    `The hub's clock is ${Math.round(skew_s)} s away from this machine's.`,
    "Deadlines and snoozes go by the hub's: set both by NTP.",
  );
}

async function tokens(cli: Cli, client: Client): Promise<Check[]> {
  const me = await client.call("whoami", {});
  const mine = pass("token", `You are ${me.principal} (${me.roles.join(", ")}).`);
  if (!me.roles.includes("admin")) return [mine];
  const { tokens: all } = await client.call("token_list", {});
  const soon = all.filter(
    // What the hub gives a program that it starts ends with that.
    ({ revoked_at, expires_at, label }) => !revoked_at && expires_at && isSoon(expires_at) && label !== "run",
  );
  if (soon.length === 0) return [mine];
  const names = [...new Set(soon.map(({ principal }) => principal))].slice(0, 5).join(", ");
  const advice = `Replace them: ${cli.line("token rotate ID")}`;
  return [mine, warn("tokens", `${soon.length} expire within a week: ${names}.`, advice)];
}

const noToken = ({ message }: Failure): Check[] => [
  fail("token", `The hub does not take your token: ${message}`, "Set PARLEY_TOKEN to one of this hub, or unset it."),
];

const isSoon = (time: string): boolean => Date.parse(time) - Date.now() < 7 * DAY_MS;
