/** How many notices there are: what belongs together is one, and what is over goes. */
import { beforeEach, expect, test } from "vitest";
import { transact } from "../../context.ts";
import { EventStream } from "../../testing/event-stream.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { raise } from "./index.ts";

const DAY = 24 * 3600 * 1000;
const ASKED = { key: "rm", kind: "choice", title: "May I run rm?", text: "rm -r dist", choices: ["allow", "deny"] };

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  let scout: string;
  beforeEach(async () => {
    hub = await open({ now: Date.parse("2027-03-01T08:00:00Z") });
    ana = await hub.token("human", "ana");
    scout = await hub.token("agent", "scout");
  });

  const call = async (token: string, tool: string, args: object = {}) => (await hub.call(token, tool, args)).body;
  const ask = (more: object = {}) => call(scout, "notice_raise", { ...ASKED, ...more });
  const settle = async (token: string, id: string, choice?: string) =>
    (await hub.settle(token, { id, ...(choice && { choice }) })).body;
  const listed = async (args: object = {}) => (await call(ana, "notice_list", args)).notices;
  const told = { key: "k", kind: "mail", title: "One is late", text: "", topic: "mail", ref: 7 };
  const tell = async (more: object = {}) =>
    transact(await hub.as(hub.admin), (ctx) => raise(ctx, { ...told, ...more }));

  test("what is over is forgotten after thirty days, what is open never", async () => {
    const { id } = await ask();
    const [answered, withdrawn, expired] = [
      await ask({ key: "answered" }),
      await ask({ key: "withdrawn" }),
      await ask({ key: "expired", expires_seconds: 60 }),
    ];
    await settle(ana, answered.id, "allow");
    await call(scout, "notice_withdraw", { id: withdrawn.id });
    await hub.tick(61_000);
    const ids = async () => (await listed()).map(({ id }: { id: string }) => id);
    await hub.tick(30 * DAY - 61_001);
    expect(await ids()).toEqual([expired.id, withdrawn.id, answered.id, id]);
    await hub.tick(61_001);
    expect(await ids()).toEqual([id]);
    await hub.tick(400 * DAY);
    expect(await ids()).toEqual([id]);
    expect(await ask({ key: "answered" })).toMatchObject({ state: "open" });
  });

  test("of one name there is one open notice, which counts, and tells of the first ten", async () => {
    using stream = await EventStream.open(hub.url, { token: ana, topics: "notice" });
    const gather = { name: "late", title: "{times} are late" };
    const late = (n: number) => tell({ key: `late ${n}`, text: `text ${n}`, ref: n, gather });
    const first = await late(1);
    for (let n = 2; n <= 12; n++) await late(n);
    const text = Array.from({ length: 10 }, (_, n) => `text ${n + 1}`).join("\n");
    expect(await listed()).toEqual([{ ...first, times: 12, title: "12 are late", text, digest: expect.any(String) }]);
    expect((await stream.until(12)).at(-1)?.data).toMatchObject({ notice_id: first.id, state: "open" });

    await settle(ana, first.id);
    expect(await late(13)).toMatchObject({ times: 1, title: told.title, text: "text 13", ref: "13" });
    expect(await listed({ open: true })).toHaveLength(1);
  });
});
