/** A runtime that was only out of reach, such as on a computer that slept: the hub has ended its turn by then. */
import { expect, test } from "vitest";
import { HubError } from "../client/index.ts";
import { eachDatabase, type Open } from "../testing/hub.ts";
import { call, Model, say, textsOf, YIELD } from "../testing/model.ts";
import { openAgentHub, portOf, Running, WAYS } from "../testing/running-agent.ts";
import type { ModelCall } from "./drivers/driver.ts";
import type { HubPort } from "./port.ts";
import type { CallContext, Toolset } from "./toolset.ts";

const NOW = Date.parse("2027-03-01T09:00:00Z");
const SILENT_MS = 31_000;
const BUY = { name: "shop_buy", description: "Buys something.", input_schema: { type: "object" } };

/** A server that is mounted beside the hub's tools. */
const shop =
  (buy: Toolset["call"]) =>
  (tools: Toolset): Toolset => ({
    list: () => [...tools.list(), BUY],
    call: (call, context) => (call.tool === BUY.name ? buy(call, context) : tools.call(call, context)),
    originOf: (call) =>
      call.tool === BUY.name ? { server: "shop", mount: "m1", input_schema: {} } : tools.originOf(call),
    mounts: () => tools.mounts(),
    takeChanges: () => tools.takeChanges(),
  });

eachDatabase((open) => {
  const openAt: Open = (options) => open({ ...options, now: NOW });

  async function openShop(way: (typeof WAYS)[number]) {
    const opened = await openAgentHub(openAt, way);
    const { hub, ana, tell, start, status } = opened;
    const [model, bought]: [Model, string[]] = [new Model(), []];
    const around = shop(async ({ arguments: given }) => {
      bought.push(given);
      return { outcome: "done", output: "It was bought." };
    });
    const begin = () => start(model, { around });
    const asked = async () => (await hub.call(ana, "approval_list")).body.approvals;
    /** Its model has called something that people are asked about, and then nothing was heard of it for a while. */
    const fallSilent = async () => {
      await tell("go");
      model.answers(call(BUY.name, { what: "tea" }));
      await expect.poll(async () => (await asked())[0]?.state).toBe("pending");
      await hub.tick(SILENT_MS);
      expect(await status()).toMatchObject({ lifecycle: "failed", turn: { outcome: "interrupted" } });
    };
    const decide = async (decision: string) => {
      const [{ id, digest }] = await asked();
      return hub.call(ana, "approval_decide", { id, digest, decision });
    };
    return { ...opened, model, bought, begin, asked, fallSilent, decide };
  }

  test.each(WAYS)(
    "RUN-9 and CRASH-3: what is said to it begins a turn, though a call of the last one still waits for a person (%s)",
    async (way) => {
      const { begin, fallSilent, tell, model, ends, status, asked, decide, bought } = await openShop(way);
      await using _ = await begin();
      await fallSilent();
      await tell("are you there?");
      await expect.poll(() => model.heard).toEqual(["go", "are you there?"]);
      expect(await status()).toMatchObject({ lifecycle: "ready", turn: { outcome: null } });
      model.answers(say("I am."), YIELD);
      await expect.poll(ends).toEqual(["interrupted", "finished"]);
      expect(await status()).toMatchObject({ run_phase: "waiting_approval" });
      expect([await asked(), bought]).toMatchObject([[{ state: "pending" }], []]);
      await decide("approve");
      await expect.poll(async () => (await asked())[0]?.state).toBe("completed");
      expect(bought).toEqual(['{"what":"tea"}']);
      expect(await status()).toMatchObject({ run_phase: "idle" });
      await tell("and?");
      await expect.poll(() => model.requests.length).toBe(3);
      const told = textsOf(model.requests[2]?.messages ?? []);
      expect(told.filter((text) => text.includes("It was bought."))).toHaveLength(1);
      model.answers(YIELD);
      await expect.poll(ends).toEqual(["interrupted", "finished", "finished"]);
      expect(bought).toHaveLength(1);
    },
  );

  test.each(WAYS)(
    "RUN-10: what was said while its model thought in a turn that the hub has ended is answered in the next, once (%s)",
    async (way) => {
      const { hub, begin, tell, model, ends } = await openShop(way);
      await using _ = await begin();
      await tell("one");
      await expect.poll(() => model.requests.length).toBe(1);
      await hub.tick(SILENT_MS);
      await tell("two");
      await expect.poll(() => model.heard).toEqual(["one", "two"]);
      model.answers(YIELD);
      await expect.poll(ends).toEqual(["interrupted", "finished"]);
      await tell("three");
      await expect.poll(() => model.heard).toEqual(["one", "two", "three"]);
      model.answers(YIELD);
      await expect.poll(ends).toEqual(["interrupted", "finished", "finished"]);
      expect(model.requests).toHaveLength(3);
    },
  );

  test("a denial of such a call runs nothing and is told by the next turn, once, and an abort of that turn leaves it waiting", async () => {
    const { hub, ana, begin, fallSilent, tell, model, ends, asked, decide, bought } = await openShop("over HTTP");
    await using _ = await begin();
    await fallSilent();
    await tell("wait");
    await expect.poll(() => model.heard).toEqual(["go", "wait"]);
    expect((await hub.call(ana, "agent_abort", { agent: "scout" })).status).toBe(200);
    await expect.poll(ends).toEqual(["interrupted", "aborted"]);
    expect(await asked()).toMatchObject([{ state: "pending" }]);
    await decide("deny_continue");
    for (const nth of [3, 4]) {
      await tell("and?");
      await expect.poll(() => model.requests.length).toBe(nth);
      expect(model.heard.filter((text) => text.includes("ana denied it"))).toHaveLength(1);
      model.answers(YIELD);
      await expect.poll(ends).toHaveLength(nth);
    }
    expect(bought).toEqual([]);
  });

  test("RUN-15: one that was out of reach while its turn was aborted ends what it ran in it", async () => {
    const { hub, ana, scout, allow, tell, ends, asked } = await openShop("in process");
    const [model, ended]: [Model, string[]] = [new Model(), []];
    const run = (_: ModelCall, { signal }: CallContext): Promise<never> => {
      signal.addEventListener("abort", () => ended.push("aborted"));
      return new Promise(() => {});
    };
    let is_away = false;
    const port = await portOf(hub, scout, "in process");
    const stayThere = (): void => {
      if (is_away) throw new HubError("HUB_UNREACHABLE", "The hub cannot be reached.");
    };
    /** Nothing gets through, and no answer either. */
    const reach: HubPort["call"] = async (...asked) => {
      stayThere();
      const answer = await port.call(...asked);
      stayThere();
      return answer;
    };
    await allow(BUY.name);
    await using _ = new Running({ port: { ...port, call: reach }, driver: model, around: shop(run) });
    await tell("go");
    model.answers(call(BUY.name, {}));
    await expect.poll(async () => (await asked())[0]?.state).toBe("executing");
    is_away = true;
    await hub.call(ana, "agent_abort", { agent: "scout" });
    // The hub may have answered its last question only now.
    const afterSilence = async () => {
      await hub.tick(SILENT_MS);
      return ends();
    };
    await expect.poll(afterSilence).toEqual(["aborted"]);
    expect(ended).toEqual([]);
    is_away = false;
    await expect.poll(() => ended).toEqual(["aborted"]);
    expect(await asked()).toMatchObject([{ state: "unknown" }]);
    await tell("again");
    await expect.poll(() => model.heard).toContain("again");
    expect(model.requests).toHaveLength(2);
    model.answers(YIELD);
    await expect.poll(ends).toEqual(["aborted", "finished"]);
  });

  test("one that was idle is ready again as soon as it is heard of", async () => {
    const { hub, begin, tell, model, status, ends } = await openShop("over HTTP");
    await using _ = await begin();
    await expect.poll(async () => (await status()).lifecycle).toBe("ready");
    const miss = async () => {
      await hub.tick(SILENT_MS);
      return (await status()).lifecycle;
    };
    await expect.poll(miss).toBe("failed");
    await tell("hello");
    await expect.poll(() => model.heard).toEqual(["hello"]);
    model.answers(YIELD);
    await expect.poll(ends).toEqual(["finished"]);
    expect(await status()).toMatchObject({ lifecycle: "ready", run_phase: "idle" });
    // And it is missed again should it fall silent once more.
    await expect.poll(miss).toBe("failed");
  });
});
