/** An agent that a person is to decide something for is seen to wait, at every door, and no longer than that. */
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { Raw } from "../../testing/mcp-raw.ts";

const START = Date.parse("2027-03-01T08:00:00Z");
const MINUTE = 60_000;

eachDatabase((open) => {
  let hub: TestHub;
  let [ana, scout, mason]: string[] = [];
  let asked = 0;
  beforeEach(async () => {
    hub = await open({ now: START });
    ana = await hub.token("human", "ana");
    [scout, mason] = [await hub.token("agent", "scout"), await hub.token("agent", "mason")];
    await hub.call(scout, "agent_report", { run_phase: "tools_running" });
  });

  const call = async (token: string | undefined, tool: string, args: object = {}) =>
    (await hub.call(token, tool, args)).body;
  const ask = async (more: object = {}, token = scout): Promise<string> => {
    const words = { key: `k${++asked}`, kind: "choice", title: "May I?", choices: ["allow", "deny"] };
    return (await call(token, "notice_raise", { ...words, ...more })).id;
  };
  const read = async (uri: string, token = ana) =>
    (await hub.hub.resources.read(await hub.actor(token ?? ""), uri)).body;
  const agent = async (name: string) =>
    (await call(ana, "agent_list")).agents.find((one: { name: string }) => one.name === name);
  /** What is said of scout, wherever anything is. */
  const phases = async (): Promise<unknown[]> => {
    const statuses = [await read("ui://agent/status"), await read("ui://agent/scout/status", scout)];
    const said: { run_phase: unknown }[] = [await agent("scout"), ...statuses, await call(scout, "agent_report")];
    expect(await read("ui://agents")).toEqual(await call(ana, "agent_list"));
    return [...new Set(said.map(({ run_phase }) => run_phase))];
  };

  test("it waits for input while its question is open, and is then what it reports, however that ended", async () => {
    const ends: ((id: string) => Promise<unknown>)[] = [
      (id) => hub.settle(ana, { id, choice: "deny" }),
      (id) => call(scout, "notice_withdraw", { id }),
      () => hub.tick(2 * MINUTE),
    ];
    for (const end of ends) {
      expect(await phases()).toEqual(["tools_running"]);
      const id = await ask({ expires_seconds: 60 });
      expect(await phases()).toEqual(["waiting_input"]);
      await end(id);
    }
    expect(await phases()).toEqual(["tools_running"]);
  });

  test("what it reports meanwhile counts once nothing is open any more", async () => {
    const [first, second] = [await ask(), await ask()];
    await call(scout, "agent_report", { run_phase: "sampling" });
    await hub.settle(ana, { id: first, choice: "allow" });
    expect(await phases()).toEqual(["waiting_input"]);
    await hub.settle(ana, { id: second, choice: "allow" });
    expect(await phases()).toEqual(["sampling"]);
  });

  test("a question makes it wait for an answer, a permission for approval, and what only tells for nothing", async () => {
    await call(scout, "notice_raise", { key: "told", kind: "report", title: "Done" });
    expect(await phases()).toEqual(["tools_running"]);
    await ask({ kind: "question", title: "Which?", choices: ["left", "right"] });
    expect(await phases()).toEqual(["waiting_input"]);
    // Whether it may use a tool, which comes before what else it asks.
    await call(scout, "approval_request", { key: "k", call_id: "c", server: "s", tool: "t", arguments: {} });
    expect(await phases()).toEqual(["waiting_approval"]);
    expect(await read("ui://agent/status")).toMatchObject({ pending_approvals: 1 });
    expect(await agent("scout")).toMatchObject({ asks: 2 });
    expect(await agent("mason")).toMatchObject({ asks: 0, run_phase: "idle" });
  });

  test("what is for one person makes it wait in their eyes and its own, and nobody else learns of it", async () => {
    const ben = await hub.token("human", "ben");
    const seenBy = async (token: string | undefined) => {
      const listed = (await call(token, "agent_list")).agents.find((one: { name: string }) => one.name === "scout");
      const { run_phase }: { run_phase?: unknown } = await read("ui://agent/scout/status", token);
      return [listed.asks, listed.run_phase, run_phase];
    };
    const id = await ask({ audience: "ana" });
    const waits = [1, "waiting_input", "waiting_input"];
    expect([await seenBy(ana), await seenBy(scout)]).toEqual([waits, waits]);
    const works = [0, "tools_running", "tools_running"];
    expect(await seenBy(ben)).toEqual(works);
    expect((await call(mason, "agent_list")).agents).toContainEqual(
      expect.objectContaining({ name: "scout", asks: 0, run_phase: "tools_running" }),
    );
    await hub.settle(ana, { id, choice: "deny" });
    expect(await seenBy(ana)).toEqual(works);
  });

  test("who says that it has stopped waits for nothing", async () => {
    await ask();
    await call(scout, "agent_report", { lifecycle: "stopped" });
    expect(await phases()).toEqual(["tools_running"]);
  });

  test("whoever watches an agent is told when it asks and when that is over, and of no other agent", async () => {
    await call(mason, "agent_heartbeat");
    const [own, other] = ["ui://agent/scout/status", "ui://agent/mason/status"];
    using stream = await new Raw(hub.url, ana ?? "").listen([own, other]);
    const last = async (count: number) => (await stream.first(1 + count)).at(-1)?.params.uri;
    await ask({}, mason);
    expect(await last(1)).toBe(other);
    await ask({ expires_seconds: 60 });
    expect(await last(2)).toBe(own);
    await hub.tick(2 * MINUTE);
    expect(await last(3)).toBe(own);
    expect(await phases()).toEqual(["tools_running"]);
  });

  test("whoever watches all agents, or the default one, is told as well", async () => {
    for (const uri of ["ui://agents", "ui://agent/status"]) {
      using stream = await new Raw(hub.url, ana ?? "").listen([uri]);
      await stream.first(1);
      const id = await ask();
      expect((await stream.first(2)).at(-1)?.params.uri).toBe(uri);
      await hub.settle(ana, { id, choice: "deny" });
      await stream.first(3);
      expect(await phases()).toEqual(["tools_running"]);
    }
  });

  test("whoever waits for the answer is there for as long", async () => {
    const presence = () => agent("mason");
    expect(await presence()).toMatchObject({ last_seen_at: null });
    const id = await ask({}, mason);
    expect(await presence()).toMatchObject({ presence: "active" });
    await hub.tick(40 * MINUTE);
    expect(await presence()).toMatchObject({ presence: "offline" });
    await call(mason, "notice_wait", { id, wait_seconds: 0 });
    expect(await presence()).toMatchObject({ presence: "active" });
  });
});
