/** Agents that answer each other without end. */
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

const START = Date.parse("2026-11-01T12:00:00Z");

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  let scout: string;
  let otter: string;
  beforeEach(async () => {
    hub = await open({ now: START });
    ana = await hub.token("human", "ana");
    scout = await hub.token("agent", "scout");
    otter = await hub.token("agent", "otter");
  });

  const say = (from: string, to: string) => hub.call(from, "mail_send", { to: [to], subject: "s", body: "b" });
  /** One speaks, the other answers; waits as long as it is told to. Gives how often it was slowed. */
  const exchange = async (turns: number): Promise<{ slowed: number; stopped: boolean }> => {
    let slowed = 0;
    for (let turn = 0; turn < turns; turn++) {
      const [from, to] = turn % 2 === 0 ? [scout, "otter"] : [otter, "scout"];
      let answer = await say(from, to);
      while (answer.body.code === "LOOP_SLOWED") {
        slowed += 1;
        expect(answer.headers.get("retry-after")).toBe(String(answer.body.retry_after));
        await hub.tick(answer.body.retry_after * 1000);
        answer = await say(from, to);
      }
      if (answer.body.code === "LOOP_STOPPED") return { slowed, stopped: true };
      expect(answer.status).toBe(200);
    }
    return { slowed, stopped: false };
  };
  const told = async () =>
    (await hub.call(ana, "notice_list")).body.notices.filter(({ kind }: { kind: string }) => kind === "mail.loop");

  test("MAIL-10: a pair that answers each other without end is slowed, then stopped, and the people are told once", async () => {
    const { slowed, stopped } = await exchange(100);

    expect([slowed > 5, stopped]).toEqual([true, true]);
    expect(await told()).toMatchObject([{ title: "otter and scout were stopped", agents: ["otter", "scout"] }]);
    await hub.tick(3_600_000);
    expect((await exchange(4)).stopped).toBe(true);
    expect(await told()).toHaveLength(1);
  });

  test("MAIL-10: a person lets them go on, by a word of their own or by releasing them", async () => {
    await exchange(100);
    expect(await told()).toMatchObject([{ state: "open" }]);
    await hub.call(ana, "mail_send", { to: ["scout"], subject: "Go on", body: "b" });
    expect(await told()).toMatchObject([{ state: "withdrawn", settled_by: null }]);
    expect((await exchange(10)).stopped).toBe(false);

    await exchange(100);
    expect(await told()).toMatchObject([{ state: "open" }, { state: "withdrawn" }]);
    expect((await hub.call(scout, "mail_release", { agents: ["scout", "otter"] })).body.code).toBe("FORBIDDEN");
    expect((await hub.call(ana, "mail_release", { agents: ["otter", "scout"] })).status).toBe(200);
    expect(await told()).toMatchObject([{ state: "withdrawn" }, { state: "withdrawn" }]);
    expect((await exchange(10)).stopped).toBe(false);
  });

  test("who gets mail from one that a person has spoken to goes on too, and nobody is told otherwise any more", async () => {
    await exchange(100);
    const heron = await hub.token("agent", "heron");
    await hub.call(ana, "mail_send", { to: ["heron"], subject: "Look after them", body: "b" });
    expect(await told()).toMatchObject([{ state: "open" }]);
    await say(heron, "otter");
    expect(await told()).toMatchObject([{ state: "withdrawn" }]);
    for (const [from, to] of [
      [scout, "otter"],
      [otter, "scout"],
    ] as const)
      expect((await say(from, to)).status).toBe(200);
  });

  test("who only reports is neither slowed nor stopped, nor is anybody towards people", async () => {
    for (let n = 0; n < 60; n++) expect((await say(scout, "otter")).status).toBe(200);
    for (let n = 0; n < 60; n++) expect((await say(n % 2 ? ana : scout, n % 2 ? "scout" : "ana")).status).toBe(200);
    expect(await told()).toEqual([]);
  });

  test("two who talk now and then are never slowed", async () => {
    for (let n = 0; n < 60; n++) {
      expect((await say(n % 2 ? otter : scout, n % 2 ? "scout" : "otter")).status).toBe(200);
      if (n % 10 === 9) await hub.tick(16 * 60_000);
    }
  });

  test("one stopped recipient among several stops the whole mail", async () => {
    await exchange(100);
    await hub.token("agent", "heron");
    const speaker = (await say(scout, "otter")).status === 200 ? otter : scout;
    const other = speaker === scout ? "otter" : "scout";
    const { body } = await hub.call(speaker, "mail_send", { to: ["heron", other], subject: "s", body: "b" });
    expect(body.code).toBe("LOOP_STOPPED");
    const heron = (await hub.call(ana, "mail_inbox", { agent: "heron" })).body;
    expect(heron.messages).toEqual([]);
  });

  test("what goes to people alone, or to others, is never stopped; with people looking on it is", async () => {
    await exchange(100);
    await hub.token("agent", "heron");
    const letter = { subject: "Report", body: "b" };
    for (const [from = "", other] of [
      [scout, "otter"],
      [otter, "scout"],
    ]) {
      expect((await hub.call(from, "mail_send", { ...letter, to: [other, "User"] })).body.code).toBe("LOOP_STOPPED");
      expect((await hub.call(from, "mail_send", { ...letter, to: ["User"] })).status).toBe(200);
      expect((await hub.call(from, "mail_send", { ...letter, to: ["heron"] })).status).toBe(200);
    }
    expect((await hub.call(ana, "mail_inbox")).body.messages).toHaveLength(2);
  });
});
