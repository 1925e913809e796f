/**
 * The part of a runtime that takes messages in, as a program of its own: `consumer.ts http URL TOKEN` is a client of a hub
 * elsewhere, `consumer.ts in-hub` a hub with the agent scout in its own process. It prints what came, a line each.
 */
import { flushCompileCache } from "node:module";
import { createClient } from "../client/index.ts";
import { nodeTransport } from "../client/node.ts";
import { Intake } from "../runtime/intake.ts";
import { type HubPort, RetryingPort } from "../runtime/port.ts";
import { httpPort } from "../runtime/port-http.ts";

const PACE = { first_ms: 20, most_ms: 200 };
const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

/** Loaded only where it is the hub: a client needs next to nothing of it. */
async function portInHub(): Promise<HubPort> {
  const [{ startHub }, { readConfig }, { systemActor }, { addressed }, { inHubPort }] = await Promise.all([
    import("../app.ts"),
    import("../config.ts"),
    import("../context.ts"),
    import("../modules/identity/index.ts"),
    import("../runtime/port-in-hub.ts"),
  ]);
  const { url, home, pid, hub } = await startHub(readConfig({}));
  print({ url, home, pid });
  const { agent } = await addressed(hub.ctx(systemActor("main")), "scout").catch(() => ({ agent: null }));
  // The first time there is nobody yet: it is told who there is, and started again.
  if (!agent) return new Promise(() => {});
  return inHubPort(hub, { principal_id: agent.principal_id, space_id: "main" });
}

const [how, url = "", token = ""] = process.argv.slice(2);
const port =
  how === "in-hub" ? await portInHub() : httpPort(createClient({ transport: nodeTransport(url), token, pace: PACE }));
// It is there to be killed, and what it has compiled is for the next one.
flushCompileCache();
const { signal } = new AbortController();
const intake = await Intake.open(new RetryingPort(port, { pace: PACE }), { driver: "scripted", signal });
for (;;) {
  for (const input of intake.take()) print({ came: input.type === "UserText" ? input.content : input.type });
  await intake.changed();
}
