/** Agents that flood a mailbox, and mail that goes round. */
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { MOST_AT_ONCE, MOST_IN_THREAD, MOST_URGENT } from "./service/storms.ts";

const START = Date.parse("2026-11-01T12:00:00Z");

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  const agents: Record<string, string> = {};
  beforeEach(async () => {
    hub = await open({ now: START });
    ana = await hub.token("human", "ana");
    for (const name of ["scout", "otter", "heron"]) agents[name] = await hub.token("agent", name);
  });

  const letter = { subject: "s", body: "b" };
  const told = async () =>
    (await hub.call(ana, "notice_list")).body.notices.filter(({ kind }: { kind: string }) => kind === "mail.loop");
  type Say = (turn: number) => Promise<{ status: number; body: Record<string, unknown> }>;
  /** As long as they are let: how often they had to wait, and after how many turns they were stopped. */
  const goRound = async (say: Say): Promise<{ slowed: number; turns: number }> => {
    let slowed = 0;
    for (let turn = 0; turn < 200; turn++) {
      let answer = await say(turn);
      for (; answer.body.code === "LOOP_SLOWED"; slowed++) {
        await hub.tick(Number(answer.body.retry_after) * 1000);
        answer = await say(turn);
      }
      if (answer.body.code === "LOOP_STOPPED") return { slowed, turns: turn };
      expect(answer.body).toMatchObject({ id: expect.any(String) });
    }
    return { slowed, turns: 200 };
  };
  const NAMES = ["scout", "otter", "heron"];
  const inRing: Say = (turn) =>
    hub.call(agents[NAMES[turn % 3] ?? ""], "mail_send", { ...letter, to: [NAMES[(turn + 1) % 3]] });

  test("MAIL-10: a ring of three is slowed, then stopped, and the people are told once who was", async () => {
    const { slowed, turns } = await goRound(inRing);
    expect(slowed).toBeGreaterThan(5);
    expect(turns).toBeLessThan(70);
    expect(await told()).toMatchObject([
      { title: "heron, otter and scout were stopped", agents: ["heron", "otter", "scout"] },
    ]);
    // Which is so: none of them gets on, now or later, and nobody is told again.
    await hub.tick(3_600_000);
    for (let turn = 0; turn < 3; turn++) expect((await inRing(turn)).body.code).toBe("LOOP_STOPPED");
    expect(await told()).toHaveLength(1);
    expect((await hub.call(agents.scout, "mail_send", { ...letter, to: ["User"] })).status).toBe(200);

    expect((await hub.call(ana, "mail_release", { agents: ["scout", "otter", "heron"] })).status).toBe(200);
    for (let turn = 0; turn < 12; turn++) expect((await inRing(turn)).status).toBe(200);
  });

  test("MAIL-10: a person's word to one of a ring lets all of it go on", async () => {
    await goRound(inRing);
    await hub.call(ana, "mail_send", { ...letter, to: ["scout"] });
    for (let turn = 0; turn < 12; turn++) expect((await inRing(turn)).status).toBe(200);
  });

  test("MAIL-10: two that answer each other over a topic are slowed, then stopped", async () => {
    for (const name of ["scout", "otter"]) await hub.call(agents[name], "mail_subscribe", { topic: "talk" });
    const { slowed, turns } = await goRound((turn) =>
      hub.call(agents[turn % 2 ? "otter" : "scout"], "mail_publish", { ...letter, topic: "talk" }),
    );
    expect([slowed > 5, turns < 45]).toEqual([true, true]);
    expect(await told()).toMatchObject([{ title: "otter and scout were stopped" }]);
  });

  test("MAIL-10: two that answer each other with a person in the thread are slowed, then stopped", async () => {
    const first = await hub.call(agents.scout, "mail_send", { ...letter, to: ["otter", "ana"] });
    const { id } = first.body;
    const { slowed, turns } = await goRound((turn) =>
      hub.call(agents[turn % 2 ? "scout" : "otter"], "mail_reply", { id, body: "b" }),
    );
    expect([slowed > 5, turns < 45]).toEqual([true, true]);
    expect(await told()).toMatchObject([{ title: "otter and scout were stopped" }]);
    expect((await hub.call(ana, "mail_reply", { id, body: "Enough, go on." })).status).toBe(200);
    expect((await hub.call(agents.otter, "mail_reply", { id, body: "b" })).status).toBe(200);
  });

  test("an agent that leads several, each of whom answers it a few times, is not slowed", async () => {
    for (let round = 0; round < 8; round++)
      for (const name of ["otter", "heron"]) {
        expect((await hub.call(agents.scout, "mail_send", { ...letter, to: [name] })).status).toBe(200);
        expect((await hub.call(agents[name], "mail_send", { ...letter, to: ["scout"] })).status).toBe(200);
      }
    expect(await told()).toEqual([]);
  });

  test("urgency of an agent is rationed: a few an hour to one recipient, then mail is sent as any other and says so", async () => {
    const urgent = (from: string, to: string) =>
      hub.call(from, "mail_send", { ...letter, to: [to], priority: "urgent" });
    const sent = [];
    for (let n = 0; n < MOST_URGENT + 3; n++) sent.push((await urgent(agents.scout ?? "", "ana")).body);
    expect(sent.map(({ priority }) => priority)).toEqual([
      ...Array(MOST_URGENT).fill(undefined),
      ...Array(3).fill("normal"),
    ]);
    expect(sent.at(-1)?.note).toMatch(/urgent/);
    const { messages } = (await hub.call(ana, "mail_inbox", { limit: 100 })).body;
    expect(messages.filter(({ priority }: { priority: string }) => priority === "urgent")).toHaveLength(MOST_URGENT);
    expect((await urgent(agents.scout ?? "", "otter")).body).not.toHaveProperty("priority");
    expect((await urgent(agents.heron ?? "", "ana")).body).not.toHaveProperty("priority");
    for (let n = 0; n < 20; n++) expect((await urgent(ana, "scout")).body).not.toHaveProperty("priority");
  });

  test("one agent fills nobody's inbox: beyond what anybody reads it is told to wait, and nobody else is", async () => {
    const send = (to: string, from = agents.scout ?? "") => hub.call(from, "mail_send", { ...letter, to: [to] });
    for (let n = 0; n < MOST_AT_ONCE; n++) expect((await send("ana")).status).toBe(200);
    const refused = await send("ana");
    expect([refused.status, refused.body.code, refused.body.retry_after]).toEqual([429, "RATE_LIMITED", 1]);
    expect((await hub.call(agents.scout, "mail_send", { ...letter, to: ["otter", "ana"] })).status).toBe(429);
    expect((await send("otter")).status).toBe(200);
    expect((await send("ana", agents.heron)).status).toBe(200);
    expect((await send("scout", ana)).status).toBe(200);
    await hub.tick(1000);
    expect((await send("ana")).status).toBe(200);
    expect((await hub.call(ana, "mail_inbox")).body.unread).toBe(MOST_AT_ONCE + 2);
  });

  test("who speaks for many agents sends no more than one of them", async () => {
    const boss = await hub.token("orchestrator", "boss");
    const as = (n: number) => ({ "x-caller-agent": NAMES[n % 3] ?? "" });
    const answers = [];
    for (let n = 0; n < MOST_AT_ONCE + 6; n++)
      answers.push((await hub.call(boss, "mail_send", { ...letter, to: ["ana"] }, as(n))).status);
    expect(answers.filter((status) => status === 200)).toHaveLength(MOST_AT_ONCE);
  });

  test("a thread takes so much from agents, whoever they are, until a person has a word", async () => {
    const { id } = (await hub.call(agents.scout, "mail_send", { ...letter, to: ["ana"] })).body;
    const more: string[] = [];
    for (let n = 0; n < 4; n++) more.push(await hub.token("agent", `crew-${"abcd"[n]}`));
    const names = more.map((_, n) => `crew-${"abcd"[n]}`);
    await hub.call(ana, "mail_send", { ...letter, to: names, thread_id: id });
    const say = (n: number) => hub.call(more[n % 4], "mail_send", { ...letter, to: ["ana"], thread_id: id });
    for (let n = 0; n < MOST_IN_THREAD; n++) expect((await say(n)).status).toBe(200);
    expect((await say(0)).body.code).toBe("RATE_LIMITED");
    await hub.call(ana, "mail_reply", { id, body: "I am here." });
    expect((await say(0)).status).toBe(200);
  });
});
