/** A hub with agents that are run in its own process and over HTTP. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startHub } from "../../src/app.ts";
import { createClient } from "../../src/client/index.ts";
import { nodeTransport } from "../../src/client/node.ts";
import { readConfig } from "../../src/config.ts";
import type { Entry } from "../../src/modules/timeline/service/entries.ts";
import { EMPTY, fold } from "../../src/modules/timeline/service/reduce.ts";
import { runAgent } from "../../src/runtime/agent.ts";
import { scripted } from "../../src/runtime/drivers/scripted.ts";
import { Intake } from "../../src/runtime/intake.ts";
import { type HubPort, RetryingPort } from "../../src/runtime/port.ts";
import { httpPort } from "../../src/runtime/port-http.ts";
import { inHubPort } from "../../src/runtime/port-in-hub.ts";
import { quantile } from "../support/rounds.ts";
import { answerBench, folder } from "./answering.ts";

const config = {
  ...readConfig({ home: join(folder, "home"), port: 0 }, {}),
  log_level: "silent",
  rate_limit: 1e6,
} as const;
const { hub, url } = await startHub({ ...config, rate_limit_kb: 1e8 });
const token = readFileSync(join(folder, "home", "admin.token"), "utf8").trim();
const root = await hub.credentials.authenticate({ token, space_id: undefined, caller_agent: undefined });

const call = (tool: string, args: object) => hub.call(root, hub.tools.find(tool), args, { door: "internal" });

async function agent(name: string): Promise<{ name: string; token: string; port: HubPort }> {
  // What `token_create` gives.
  const { token } = (await call("token_create", { role: "agent", name })) as { token: string };
  const { principal_id, space_id } = await hub.credentials.authenticate({
    ...{ token, space_id: undefined, caller_agent: undefined },
  });
  return { name, token, port: inHubPort(hub, { principal_id, space_id }) };
}

const { signal } = new AbortController();
const intakeOf = (port: HubPort) => Intake.open(new RetryingPort(port), { driver: "bench", signal });

/** From the acknowledgement of a post to when its entry is stored and the runtime has it: milliseconds, p95. */
async function injected({ way, posts }: { way: string; posts: number }): Promise<number> {
  const one = await agent(`${way}-${Math.random().toString(36).slice(2, 8)}`);
  const http = httpPort(createClient({ transport: nodeTransport(url), token: one.token }));
  const intake = await intakeOf(way === "http" ? http : one.port);
  const took: number[] = [];
  for (let n = 0; n < posts; n += 1) {
    const came = intake.changed();
    await call("chat_human_post", { content: `message ${n}`, agent: one.name });
    const acknowledged = performance.now();
    if (intake.isEmpty) await came;
    took.push(performance.now() - acknowledged);
    intake.take();
  }
  intake.stop();
  return quantile(took, 0.95);
}

/** What a post itself takes. */
async function posted({ posts }: { posts: number }): Promise<number> {
  const took: number[] = [];
  for (let n = 0; n < posts; n += 1) {
    const started = performance.now();
    await call("chat_human_post", { content: `message ${n}` });
    took.push(performance.now() - started);
  }
  return quantile(took, 0.95);
}

let crew: Awaited<ReturnType<typeof agent>>[] = [];

/** Agents with a conversation each, which is in their logs and which no turn has taken. */
async function fill({ agents, messages }: { agents: number; messages: number }): Promise<void> {
  crew = [];
  for (let n = 0; n < agents; n += 1) {
    const one = await agent(`scout-${n}`);
    crew.push(one);
    for (let at = 0; at < messages; at += 100)
      await Promise.all(
        Array.from({ length: Math.min(100, messages - at) }, (_, m) =>
          call("chat_human_post", { content: `What about number ${at + m}? It was there yesterday.`, agent: one.name }),
        ),
      );
    const intake = await intakeOf(one.port);
    await intake.catchUp();
    intake.stop();
  }
}

/** All of them start and have everything: milliseconds. */
async function catchUp(): Promise<number> {
  const started = performance.now();
  const intakes = await Promise.all(crew.map(({ port }) => intakeOf(port)));
  await Promise.all(intakes.map((intake) => intake.catchUp()));
  const took = performance.now() - started;
  for (const intake of intakes) intake.stop();
  return took;
}

/** The same messages, read page by page. */
async function readAll(): Promise<number> {
  const started = performance.now();
  await Promise.all(
    crew.map(async ({ name }) => {
      for (let after_id: string | null = null, more = true; more; ) {
        const args = { agent: name, after_id, limit: 500 };
        const page = (await call("chat_read_since", args)) as { last_id: string; has_more: boolean };
        after_id = page.last_id;
        more = page.has_more;
      }
    }),
  );
  return performance.now() - started;
}

const settled = async (): Promise<number> => {
  for (let times = 0; times < 5; times += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return process.memoryUsage().heapUsed;
};

/** KiB that each of them holds once it has nothing to do. */
async function idle(): Promise<number> {
  const before = await settled();
  const stop = new AbortController();
  const running = crew.map(({ port }) =>
    runAgent({ port, driver: scripted({ rules: [] }), facets: ["mail"], signal: stop.signal }),
  );
  for (const { name } of crew)
    for (let resting = false; !resting; ) {
      const status = (await call("agent_status", { agent: name })) as { turn: { outcome: string | null } | null };
      resting = status.turn?.outcome === "finished";
      if (!resting) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  const held = ((await settled()) - before) / crew.length / 1024;
  stop.abort();
  await Promise.all(running);
  return held;
}

let log: Entry[] = [];

function entries(events: number): Entry[] {
  if (log.length === events) return log;
  log = Array.from({ length: events }, (_, n): Entry => {
    const id = 1000 + n;
    const call_id = `c${n - (n % 4)}`;
    if (n % 4 === 0)
      return {
        id,
        turn_id: 1,
        type: "ToolCall",
        sample: 0,
        seen_id: null,
        call_id,
        tool: "mail_inbox",
        content_kind: "Json",
        arguments: "{}",
      };
    if (n % 4 === 1) return { id, turn_id: 1, type: "ToolOutput", call_id, outcome: "done", output: "ok" };
    const said = { chat_id: id, author: "ana", mime: "text/plain", content: "hello" };
    return { id, turn_id: 1, type: n % 4 === 2 ? "UserText" : "AssistantText", ...said };
  });
  return log;
}

function folded({ events }: { events: number }): number {
  const all = entries(events);
  const started = performance.now();
  const { items } = fold(EMPTY, all);
  if (items.length !== (events * 3) / 4) throw new Error(`${items.length} items`);
  return events / ((performance.now() - started) / 1000);
}

/** The same objects, each looked at and kept by its key: nothing is made of them. */
function looped({ events }: { events: number }): number {
  const all = entries(events);
  const started = performance.now();
  const kept = new Map<string, Entry>();
  for (const entry of all) kept.set("call_id" in entry ? entry.call_id : String(entry.id), entry);
  if (kept.size !== (events * 3) / 4) throw new Error(`${kept.size} kept`);
  return events / ((performance.now() - started) / 1000);
}

await agent("default");
answerBench({}, { injected, posted, fill, catchUp, readAll, idle, folded, looped });
