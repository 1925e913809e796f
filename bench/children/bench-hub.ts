import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type RunningHub, startHub } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { Actor } from "../../src/context.ts";

export interface BenchHub {
  running: RunningHub;
  /** Makes the token of a named person or agent. */
  token(role: string, name: string, space?: string): Promise<string>;
  /** Makes a space, and an agent in it whose token this is. */
  space(id: string): Promise<string>;
  actor(token: string): Promise<Actor>;
  call(actor: Actor, tool: string, args: object): Promise<object>;
}

export async function startBenchHub(home: string, database_url?: string): Promise<BenchHub> {
  const running = await startHub({
    ...readConfig({ home, port: 0 }, {}),
    database_url,
    log_level: "silent",
    rate_limit: 1e9,
    rate_limit_kb: 1e9,
  });
  const { hub } = running;
  const actor = (token: string): Promise<Actor> =>
    hub.credentials.authenticate({ token, space_id: undefined, caller_agent: undefined });
  const call = (actor: Actor, tool: string, args: object): Promise<object> =>
    hub.call(actor, hub.tools.find(tool), args, { door: "internal" });
  const admin = readFileSync(join(home, "admin.token"), "utf8").trim();
  const token: BenchHub["token"] = async (role, name, space) => {
    const made = await call(await actor(admin), "token_create", { role, name, ...(space && { space }) });
    if ("token" in made && typeof made.token === "string") return made.token;
    throw new Error(`no token for ${name}`);
  };
  return {
    running,
    actor,
    call,
    token,
    space: async (id) => {
      await call(await actor(admin), "create_session", { session_id: id });
      return token("agent", `agent-of-${id.replaceAll("_", "-")}`, id);
    },
  };
}
