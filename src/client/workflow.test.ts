import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { until } from "../testing/process.ts";
import { createClient, openWorkflow, type Paused, type Resumed } from "./index.ts";
import { nodeTransport } from "./node.ts";

const PHASES = ["market", "competitor", "finance"];

eachDatabase((open) => {
  let hub: TestHub;
  let [ana, scout, chief]: string[] = [];
  beforeEach(async () => {
    hub = await open();
    [ana, scout] = [await hub.token("human", "ana"), await hub.token("agent", "scout")];
    chief = await hub.token("orchestrator", "chief");
  });

  const call = async (token: string | undefined, tool: string, args: object = {}) =>
    (await hub.call(token, tool, args)).body;
  const ask = async (question: string, more: object = {}): Promise<string> =>
    (await call(scout, "add_question", { question, ...more })).question_id;
  const begin = async (told: { paused: Paused[]; resumed: Resumed[] } = { paused: [], resumed: [] }) => {
    const client = createClient({ transport: nodeTransport(hub.url), token: chief });
    const flow = await openWorkflow(client, {
      phases: PHASES,
      onPause: (paused) => void told.paused.push(paused),
      onResume: (resumed) => void told.resumed.push(resumed),
    });
    return { client, flow, told };
  };

  test("phases run one after another, pause where people are to be asked, and go on with the answers", async () => {
    const { client, flow, told } = await begin();
    using _ = client;
    const ran: string[] = [];
    let id = "";
    const first = flow.phase("market", async () => {
      ran.push("market");
      id = await ask("Which city?");
    });
    const second = first.then(() =>
      flow.phase("competitor", async () => {
        ran.push(`competitor in ${flow.answers.get(id)?.answer}`);
        return "I need human input to continue: how much?";
      }),
    );
    await until(() => told.paused.length === 1);
    expect(ran).toEqual(["market"]);
    expect(told.paused).toMatchObject([{ reason: "phase_boundary", questions: [{ id, question: "Which city?" }] }]);
    await call(ana, "submit_answers", { answers: { [id]: "Brno" } });
    await until(() => told.paused.length === 2);
    expect(ran).toEqual(["market", "competitor in Brno"]);
    const [asked] = told.paused[1]?.questions ?? [];
    await call(ana, "submit_answers", { answers: { [asked?.id ?? ""]: "20k" } });
    expect(await second).toBe(true);
    expect(await flow.phase("finance", async () => void ran.push("finance"))).toBe(true);
    await flow.finish();
    expect(ran).toEqual(["market", "competitor in Brno", "finance"]);
    expect(told.resumed).toMatchObject([{ state: "resumed" }, { state: "resumed" }]);
  });

  test("whoever takes over while people are asked does not do the work again that led to the question", async () => {
    const first = await begin();
    const ran: string[] = [];
    const work = (name: string) => async () => {
      ran.push(name);
      if (name === "market") await ask("Which city?", { priority: "high", blocking: true });
    };
    const given_up = expect(first.flow.phase("market", work("market"))).rejects.toThrow("cannot be reached");
    await until(() => first.told.paused.length === 1);
    first.client[Symbol.dispose]();
    const told = { paused: [] as Paused[], resumed: [] as Resumed[] };
    const taking_over = begin(told);
    await until(() => told.paused.length === 1);
    expect(told.paused).toMatchObject([{ checkpoint_id: first.told.paused[0]?.checkpoint_id, reason: "immediate" }]);
    await call(ana, "submit_answers", { answers: { [told.paused[0]?.questions[0]?.id ?? ""]: "Brno" } });
    const { client, flow } = await taking_over;
    using _ = client;
    for (const phase of PHASES) await flow.phase(phase, work(phase));
    await flow.finish();
    expect(ran).toEqual(PHASES);
    expect([told.paused.length, told.resumed.length]).toEqual([1, 1]);
    await given_up;
    expect((await call(ana, "get_all_questions")).questions).toHaveLength(1);
  });

  test("another program goes on where the first one stopped, and finds nothing to do once it is over", async () => {
    const first = await begin();
    await first.flow.phase("market", async () => {});
    await expect(first.flow.phase("competitor", () => Promise.reject(new Error("died")))).rejects.toThrow("died");
    first.client[Symbol.dispose]();
    const second = await begin();
    using _ = second.client;
    const ran: string[] = [];
    for (const phase of PHASES) await second.flow.phase(phase, async () => void ran.push(phase));
    await second.flow.finish();
    expect(ran).toEqual(["competitor", "finance"]);
    const third = await begin();
    using __ = third.client;
    for (const phase of PHASES) expect(await third.flow.phase(phase, async () => {})).toBe(false);
    await expect(third.flow.phase("unknown", async () => {})).rejects.toThrow("none of the phases");
  });
});
