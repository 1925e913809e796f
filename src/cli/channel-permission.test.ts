import { beforeEach, expect, test } from "vitest";
import { createClient } from "../client/index.ts";
import { nodeTransport } from "../client/node.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { PermissionRelay } from "./channel-permission.ts";

const SOON = { timeout: 30_000 };
const START = Date.parse("2027-03-01T08:00:00Z");
const REQUEST = { request_id: "abcde", tool_name: "Bash", description: "", input_preview: "rm -r dist" };

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  let scout: string;
  beforeEach(async () => {
    hub = await open({ now: START });
    ana = await hub.token("human", "ana");
    scout = await hub.token("agent", "scout");
  });

  const notices = async (wanted: object = {}) => (await hub.call(ana, "notice_list", wanted)).body.notices;
  const relayed = () => {
    const permitted: object[] = [];
    const notes: string[] = [];
    const relay = new PermissionRelay({
      client: createClient({ transport: nodeTransport(hub.url), token: scout }),
      agent: Promise.resolve("scout"),
      permit: async (permission) => void permitted.push(permission),
      note: (text) => void notes.push(text),
    });
    return { relay, permitted, notes };
  };
  const waiting = () => hub.hub.streams.count(({ kind }) => kind === "wait");

  test("a question whose time is over is dropped without a word, and a late answer allows nothing", async () => {
    const { relay, permitted, notes } = relayed();
    relay.ask(REQUEST);
    await expect.poll(waiting, SOON).toBe(1);
    const [{ id }] = await notices();
    await hub.tick(3600_000);
    await expect.poll(waiting, SOON).toBe(0);
    const late = await hub.call(ana, "notice_settle", { id, choice: "allow" });
    expect(late.body).toMatchObject({ code: "NOTICE_CLOSED", state: "expired" });
    await relay.stop();
    expect([permitted, notes]).toEqual([[], []]);
  });

  test("the same request told twice is one question and one answer", async () => {
    const { relay, permitted } = relayed();
    relay.ask(REQUEST);
    relay.ask(REQUEST);
    await expect.poll(waiting, SOON).toBe(1);
    const [{ id }, ...more] = await notices();
    expect(more).toEqual([]);
    await hub.call(ana, "notice_settle", { id, choice: "allow" });
    await expect.poll(() => permitted, SOON).toEqual([{ request_id: "abcde", behavior: "allow" }]);
    await relay.stop();
  });

  test("a question that the hub refuses is noted, and nothing is allowed", async () => {
    for (let n = 0; n < 20; n++)
      await hub.call(scout, "notice_raise", { key: `n${n}`, kind: "other", title: "There is something" });
    const { relay, permitted, notes } = relayed();
    relay.ask(REQUEST);
    await expect.poll(() => notes, SOON).toHaveLength(1);
    expect(notes[0]).toContain("20 of your notices wait for a person already");
    await relay.stop();
    expect(permitted).toEqual([]);
  });

  test("whoever goes takes its questions back, and asks no more", async () => {
    const { relay, permitted } = relayed();
    relay.ask(REQUEST);
    await expect.poll(waiting, SOON).toBe(1);
    await relay.stop();
    relay.ask({ ...REQUEST, request_id: "fghij" });
    expect(await notices()).toMatchObject([{ state: "withdrawn" }]);
    expect(permitted).toEqual([]);
  });
});
