/**
 * Whoever runs an agent, and the hub that people decide in, are killed around a call that waits for a person: in the hub's
 * own process, and with the runtime elsewhere. What the call does is counted where it does it.
 */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TOOL_SERVER } from "../src/testing/agents/tool-server.ts";
import { type Caller, callTool, callUntilKnown } from "../src/testing/crowd.ts";
import type { DatabaseName } from "../src/testing/databases.ts";
import { type Child, exited, until } from "../src/testing/process.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";
import { writtenLines } from "../src/testing/written.ts";

const KILLED = { code: null, signal: "SIGKILL" };
const post = (content: string) => ({ tool: "chat_assistant_post", arguments: { content } });
const SCRIPT = {
  rules: [
    { when: "^note", steps: [{ tool: "files_note", arguments: { line: "{{text}}" } }, post("Through.")] },
    { when: "", steps: [post("You said {{text}}")] },
  ],
};

interface Case {
  point: string;
  decision: "approve" | "deny_continue";
  /** How often it was done in the end, and what is said of it. */
  times: number;
  state: string;
}

const DECIDING = "approval.after_decide";
const CASES: Case[] = [
  { point: DECIDING, decision: "approve", times: 1, state: "completed" },
  { point: DECIDING, decision: "deny_continue", times: 0, state: "denied" },
  { point: "tool.before_run@files_note", decision: "approve", times: 0, state: "unknown" },
  { point: "tool.after_run@files_note", decision: "approve", times: 1, state: "unknown" },
];

interface Asked {
  id: string;
  digest: string;
  state: string;
}

class Agent {
  readonly #restarts: Restarts;
  readonly #way: "in the hub" | "elsewhere";
  readonly #ana: Caller;
  readonly #scout: Caller;
  #child: Child | undefined;

  static async open(database: DatabaseName, way: "in the hub" | "elsewhere"): Promise<Agent> {
    const restarts = await Restarts.on(database);
    await restarts.start();
    const agent = new Agent(
      restarts,
      way,
      await restarts.token("human", "ana"),
      await restarts.token("agent", "scout"),
    );
    const { home, folder } = restarts.ground;
    const env = { NOTES: agent.#path("notes") };
    const mcpServers = { files: { command: process.execPath, args: [TOOL_SERVER, "noting"], env } };
    writeFileSync(agent.#path("script"), JSON.stringify(SCRIPT));
    writeFileSync(join(folder, "servers"), JSON.stringify({ mcpServers }));
    const hosted = JSON.stringify({ agents: { scout: { mcpServers } } });
    if (way === "in the hub") writeFileSync(join(home, "servers.json"), hosted, { mode: 0o600 });
    const definition = JSON.stringify({ driver: "scripted", script: SCRIPT });
    if (way === "in the hub") await callUntilKnown(restarts.admin, "agent_start", { agent: "scout", definition });
    return agent;
  }

  private constructor(restarts: Restarts, way: "in the hub" | "elsewhere", ana: Caller, scout: Caller) {
    this.#restarts = restarts;
    this.#way = way;
    this.#ana = ana;
    this.#scout = scout;
  }

  #path(name: string): string {
    return join(this.#restarts.ground.folder, name);
  }

  get notes(): string[] {
    return writtenLines(this.#path("notes"));
  }

  tell(content: string) {
    return callUntilKnown(this.#ana, "chat_human_post", { content, agent: "scout" }, content);
  }

  /** The newest. */
  async asked(): Promise<Asked | undefined> {
    return (await callUntilKnown(this.#ana, "approval_list", {})).body.approvals[0];
  }

  /** Undefined where the hub died over it. */
  decide({ id, digest }: Asked, decision: string) {
    return callTool(this.#ana, "approval_decide", { id, digest, decision });
  }

  /** Hub and runtime, whichever is not there; the one that gets to the point dies there. */
  async start(point?: string): Promise<void> {
    const doomed = point === undefined ? {} : { PARLEY_FAILPOINT: `${point}:kill` };
    const is_hubs = this.#way === "in the hub" || point === DECIDING;
    if (is_hubs || this.#restarts.hub.child.exitCode !== null || this.#restarts.hub.child.signalCode !== null) {
      await this.#restarts.hub.kill("SIGTERM");
      await this.#restarts.start(is_hubs ? doomed : {});
    }
    if (this.#way === "elsewhere") await this.#startRuntime(is_hubs ? {} : doomed);
    await until(async () => {
      const { body } = await callUntilKnown(this.#ana, "agent_status", { agent: "scout" });
      return body.lifecycle === "ready" && body.mounts.files?.state === "running";
    });
  }

  async #startRuntime(doomed: Record<string, string>): Promise<void> {
    if (this.#child && this.#child.exitCode === null && this.#child.signalCode === null) {
      // It goes on by itself with the next hub.
      if (Object.keys(doomed).length === 0) return;
      const gone = once(this.#child, "exit");
      this.#child.kill("SIGTERM");
      await gone;
    }
    const typed = ["agent", "run", "scout", "--json", "--script", this.#path("script")];
    const env = { PARLEY_URL: this.#restarts.hub.url, PARLEY_TOKEN: this.#scout.token, ...doomed };
    this.#child = this.#restarts.ground.start([...typed, "--mcp-config", this.#path("servers")], env);
    await once(this.#child.stdout, "data");
  }

  /** How whoever was to die has ended. */
  async ended(point: string) {
    if (this.#way === "in the hub" || point === DECIDING) return this.#restarts.ended();
    const child = this.#child;
    if (child) await exited(child);
    return { code: child?.exitCode, signal: child?.signalCode };
  }

  async said(): Promise<string[]> {
    const { body } = await callUntilKnown(this.#ana, "chat_read_since", { agent: "scout", limit: 500 });
    return body.messages.map(({ content }: { content: string }) => content);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#restarts[Symbol.asyncDispose]();
  }
}

eachDatabaseOfHubs((database) => {
  test.each(["in the hub", "elsewhere"] as const)(
    "G14 and CRASH-3: with the runtime %s, killed around a call that a person decides about, nothing runs twice, nothing denied runs, and nothing that waits is lost",
    async (way) => {
      await using agent = await Agent.open(database, way);
      for (const { point, decision, times, state } of CASES) {
        const name = `note ${point} ${decision}`;
        await agent.start(point);
        await agent.tell(name);
        const asked = await until(async () => {
          const newest = await agent.asked();
          return newest?.state === "pending" ? newest : undefined;
        });
        await agent.decide(asked, decision);
        expect([name, await agent.ended(point)]).toEqual([name, KILLED]);
        await agent.start();
        // It was not decided before the hub died, and is asked still.
        if (point === DECIDING) {
          expect([name, await agent.asked()]).toMatchObject([name, { id: asked.id, state: "pending" }]);
          expect([name, (await agent.decide(asked, decision))?.status]).toEqual([name, 200]);
        }
        await until(async () => (await agent.asked())?.state === state);
        await agent.tell(`after ${name}`);
        await until(async () => (await agent.said()).includes(`You said after ${name}`));
        const made = agent.notes.filter((line) => line === name);
        expect([name, made.length, (await agent.asked())?.state]).toEqual([name, times, state]);
        expect((await agent.decide(asked, "approve"))?.status).not.toBe(200);
      }
    },
  );
});
