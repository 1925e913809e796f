/** Agents that are run as the product runs them, in the hub's process or over HTTP, with a model that is the test's. */
import { createClient } from "../client/index.ts";
import { nodeTransport } from "../client/node.ts";
import { type AgentOptions, runAgent } from "../runtime/agent.ts";
import type { HubPort } from "../runtime/port.ts";
import { httpPort } from "../runtime/port-http.ts";
import { inHubPort } from "../runtime/port-in-hub.ts";
import type { Open, TestHub } from "./hub.ts";

const PACE = { first_ms: 5, most_ms: 50 };
export const WAYS = ["in process", "over HTTP"] as const;

export async function portOf(hub: TestHub, token: string, way: (typeof WAYS)[number]): Promise<HubPort> {
  const { principal_id, space_id } = await hub.actor(token);
  if (way === "over HTTP")
    return httpPort(createClient({ transport: nodeTransport(hub.url), token, space: space_id, pace: PACE }));
  return inHubPort(hub.hub, { principal_id, space_id });
}

/** An agent that runs until the test is over, or it is stopped. */
export class Running implements AsyncDisposable {
  readonly ended: Promise<string>;
  readonly #stop = new AbortController();

  constructor(options: Omit<AgentOptions, "signal">) {
    this.ended = runAgent({ pace: PACE, signal: this.#stop.signal, ...options });
    this.ended.catch(() => {});
  }

  async stop(): Promise<string> {
    this.#stop.abort();
    return this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop().catch(() => undefined);
  }
}

/** A hub where ana speaks to scout, which is run when the test starts it. */
export async function openAgentHub(open: Open, way: (typeof WAYS)[number] = "in process") {
  const hub = await open({ config: { rate_limit: 1_000_000 } });
  const [ana, scout] = [await hub.token("human", "ana"), await hub.token("agent", "scout")];
  const tell = (content: string) => hub.call(ana, "chat_human_post", { content, agent: "scout" });
  const start = async (driver: AgentOptions["driver"], more: Partial<AgentOptions> = {}) =>
    new Running({ port: await portOf(hub, scout, way), driver, ...more });
  /** What it may do without asking, beside reading and speaking. */
  const allow = async (...tools: string[]) => {
    const { body } = await hub.call(ana, "policy_get");
    const rules = [...body.document.rules, ...tools.map((tool) => ({ tool, decision: "allow" }))];
    return hub.call(ana, "policy_set", { document: { rules }, expected_version: body.version });
  };
  const items = async () => (await hub.call(ana, "timeline_read", { agent: "scout", limit: 500 })).body.items;
  const ends = async () =>
    (await items()).flatMap(({ kind, outcome }: { kind: string; outcome: string }) =>
      kind === "EndTurn" ? outcome : [],
    );
  const status = async () => (await hub.call(ana, "agent_status", { agent: "scout" })).body;
  return { hub, ana, scout, tell, allow, start, items, ends, status };
}
