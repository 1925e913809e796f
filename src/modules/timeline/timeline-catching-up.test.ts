import fc from "fast-check";
import { expect, test } from "vitest";
import { Consumer } from "../../testing/agent-runtime.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { propertyRuns } from "../../testing/property-runs.ts";
import { readAll } from "../../testing/timeline-fold.ts";
import { TimelineClient } from "../../testing/timeline-socket.ts";

/** What happens to an agent; what it is about may have been made long before, and be on a page already. */
const HAPPENS = ["say", "answer", "begin", "call", "output", "ask", "decide", "end", "interrupt"] as const;
/** What happens to a page. */
const PAGE = ["cut", "stall", "read on", "resume"] as const;

const step = fc.record({ what: fc.constantFrom(...HAPPENS, ...HAPPENS, ...PAGE), which: fc.nat(20) });

/** So that there is always something that may change. */
const BEGINNING = [
  { what: "begin", which: 0 },
  { what: "call", which: 0 },
  { what: "call", which: 0 },
] as const;

/** One that is run: each of its calls may be open, be asked about, or be over. */
class Agent {
  readonly name: string;
  readonly token: string;
  readonly #hub: TestHub;
  readonly #ana: string;
  readonly #consumer: Consumer;
  #turn: string | undefined;
  #calls: string[] = [];
  #asked: { id: string; digest: string }[] = [];
  #made = 0;

  static async begin(hub: TestHub, ana: string, name: string): Promise<Agent> {
    const agent = new Agent(hub, ana, { name, token: await hub.token("agent", name) });
    await agent.#consumer.start();
    return agent;
  }

  private constructor(hub: TestHub, ana: string, { name, token }: { name: string; token: string }) {
    this.name = name;
    this.token = token;
    this.#hub = hub;
    this.#ana = ana;
    this.#consumer = new Consumer(hub, token);
  }

  say(content: string) {
    return this.#hub.call(this.#ana, "chat_human_post", { content, agent: this.name });
  }

  async happens(what: (typeof HAPPENS)[number], which: number): Promise<void> {
    if (what === "say") await this.say("Go on.");
    if (what === "answer") await this.#hub.call(this.token, "chat_assistant_post", { content: "I do." });
    if (what === "begin") this.#turn ??= await this.#consumer.begin();
    if (what === "interrupt") await this.#consumer.start();
    if (what === "end" && this.#turn) await this.#consumer.end(this.#turn, "finished", { cost_usd: which });
    if (what === "end" || what === "interrupt") [this.#turn, this.#calls, this.#asked] = [undefined, [], []];
    if (this.#turn) await this.#works(this.#turn, what, which);
  }

  async #works(turn: string, what: (typeof HAPPENS)[number], which: number): Promise<void> {
    if (what === "call") {
      this.#made += 1;
      const call_id = `${turn}.${this.#made}`;
      await this.#consumer.call(turn, call_id, { tool: "runtime_exec", args: { cmd: ["ls"] } });
      this.#calls.push(call_id);
    }
    // Any of them, not the newest.
    const at = this.#calls.length === 0 ? 0 : which % this.#calls.length;
    const call_id = this.#calls[at];
    if (what === "output" && call_id) {
      await this.#consumer.output(turn, call_id, `gave ${which}`);
      this.#calls.splice(at, 1);
    }
    if (what === "ask" && call_id) {
      const about = { key: call_id, call_id, server: "runtime", tool: "runtime_exec", arguments: { cmd: ["ls"] } };
      this.#asked.push((await this.#hub.call(this.token, "approval_request", about)).body);
    }
    const asked = what === "decide" ? this.#asked.shift() : undefined;
    if (asked) await this.#hub.call(this.#ana, "approval_decide", { ...asked, decision: "approve" });
  }
}

eachDatabase((open) => {
  test("TIMELINE-10: whatever a page loses, repeats or mixes up, also of items that changed after it was told of them, once it has caught up it shows what a fresh read gives", async () => {
    const hub = await open({ config: { rate_limit: 1_000_000 } });
    const ana = await hub.token("human", "ana");
    let agents = 0;
    const some = fc.array(step, { minLength: 1, maxLength: 20 });
    const property = fc.asyncProperty(some, fc.nat(30), fc.nat(), async (steps, lost, mix) => {
      agents += 1;
      const agent = await Agent.begin(hub, ana, `scout-${agents}`);
      const query = `agent=${agent.name}`;
      let page = await TimelineClient.open(hub, ana, query);
      const resume = (seen: number) => page.say({ type: "resume", last_seen_event_id: seen });
      for (const { what, which } of [...BEGINNING, ...steps]) {
        if (what === "stall") page.ws.pause();
        else if (what === "read on") page.ws.resume();
        else if (what === "resume") resume(page.told[which % page.told.length]?.event_id ?? 0);
        else if (what === "cut") {
          const seen = page.told.at(-1)?.event_id ?? 0;
          page[Symbol.dispose]();
          page = await TimelineClient.open(hub, ana, query);
          resume(seen);
        } else await agent.happens(what, which);
      }
      page.ws.resume();
      const { id: last } = (await agent.say("That is all.")).body;
      await expect.poll(() => page.shown().at(-1)?.id).toBe(last);
      // Everything behind a place is lost: messages with new items, and with others that it had.
      const from = page.told.findLastIndex(({ type }) => type === "ui_state_snapshot");
      page.told.splice(Math.max(from + 1, page.told.length - lost));
      resume(page.told.at(-1)?.event_id ?? 0);
      const fresh = await readAll(hub, ana, { agent: agent.name });
      await expect.poll(() => page.shown()).toEqual(fresh);
      const { turn } = (await hub.call(ana, "agent_status", { agent: agent.name })).body;
      await expect.poll(() => page.run()).toEqual(turn);
      // In whichever order they are taken: the number of a message says which of two is newer.
      expect(page.shown(mixed(page.told, mix))).toEqual(fresh);
      page[Symbol.dispose]();
    });
    await fc.assert(property, { numRuns: propertyRuns(30), endOnFailure: true });
  });
});

/** The same in another order, but for what comes before the last snapshot. */
function mixed<T extends { type: string }>(told: readonly T[], how: number): T[] {
  const from = told.findLastIndex(({ type }) => type === "ui_state_snapshot") + 1;
  const rest = told.slice(from).map((message, at) => ({ message, place: ((at + 1) * 7919 + how) % 101 }));
  return [...told.slice(0, from), ...rest.sort((a, b) => a.place - b.place).map(({ message }) => message)];
}
