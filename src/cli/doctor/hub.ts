import { isObject } from "../../client/errors.ts";
import { resolveActing } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import { Client, type Target, transportTo } from "../core/client.ts";
import { Failure, recover } from "../core/failure.ts";
import { type Check, fail, type Patient, pass, VERSION, warn } from "./check.ts";
import { roundTrips } from "./mcp.ts";

const PATIENCE_MS = 10_000;
/** Longer than any of ours lasts. */
const LONGEST_SNAPSHOT_S = 60;
const SKEW_S = 3;
const DAY_MS = 86_400_000;

/** Whether the hub answers, as whom, in which time, and whether an agent could speak to it in both eras of MCP. */
export async function checkHub({ cli }: Patient): Promise<Check[]> {
  let client: Client | undefined;
  try {
    client = await reach(cli);
  } catch (error) {
    if (error instanceof Failure) return [fail("hub", error.message, `See: ${cli.line("help token create")}`)];
    throw error;
  }
  if (!client)
    return [
      warn(
        "hub",
        `No hub runs on ${cli.home.path}.`,
        `Commands start it when they need it; hooks do not: ${cli.line("serve")}`,
      ),
    ];
  const answered = await ready(cli, client);
  if (answered.state === "fail") return [answered];
  const { target } = client;
  const trips = target.token ? [...(await tokens(cli, client)), ...(await roundTrips(target))] : [];
  return [answered, await clock(target), ...trips];
}

/** As whoever runs this; an agent that is nobody yet has no token to try. */
async function reach(cli: Cli): Promise<Client | undefined> {
  const found = cli.find();
  if (cli.runByAgent === undefined || !found) return found;
  const nobody = new Client({ ...found.target, token: undefined });
  return resolveActing(cli, { start: false, make: false }).then(({ client }) => client, recover(nobody, "NO_IDENTITY"));
}

async function ready(cli: Cli, client: Client): Promise<Check> {
  const { url } = client.target;
  try {
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
  } catch (error) {
    if (error instanceof Failure)
      return fail("hub", error.message, `See hub.log in the data folder, then: ${cli.line("stop")}`);
    throw error;
  }
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
  try {
    const me = await client.call("whoami", {});
    const name = me.principal;
    const mine = pass("token", `You are ${name} (${me.roles.join(", ")}).`);
    if (!me.roles.includes("admin")) return [mine];
    const { tokens: all } = await client.call("token_list", {});
    const soon = all.filter(
      // What the hub gives a program that it starts ends with that.
      ({ revoked_at, expires_at, label }) => !revoked_at && expires_at && isSoon(expires_at) && label !== "run",
    );
    if (soon.length === 0) return [mine];
    const names = [...new Set(soon.map(({ principal }) => principal))].slice(0, 5).join(", ");
    return [
      mine,
      warn("tokens", `${soon.length} expire within a week: ${names}.`, `Replace them: ${cli.line("token rotate ID")}`),
    ];
  } catch (error) {
    if (error instanceof Failure)
      return [
        fail(
          "token",
          `The hub does not take your token: ${error.message}`,
          "Set PARLEY_TOKEN to one of this hub, or unset it.",
        ),
      ];
    throw error;
  }
}

const isSoon = (time: string): boolean => Date.parse(time) - Date.now() < 7 * DAY_MS;
