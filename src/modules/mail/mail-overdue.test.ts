/** What people are told of deadlines that passed, and of whose words it is. */
import { beforeEach, expect, test } from "vitest";
import { EventStream } from "../../testing/event-stream.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

const START = Date.parse("2026-11-01T12:00:00Z");
const HOUR = 3_600_000;

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  let ben: string;
  let scout: string;
  beforeEach(async () => {
    hub = await open({ now: START });
    ana = await hub.token("human", "ana");
    ben = await hub.token("human", "ben");
    scout = await hub.token("agent", "scout");
    await hub.token("agent", "otter");
  });

  const send = async (token: string, to: string[], subject: string): Promise<string> =>
    (await hub.call(token, "mail_send", { to, subject, body: "b", deadline: "1h" })).body.id;
  const notices = async (token: string) => (await hub.call(token, "notice_list", { open: true })).body.notices;

  test("what people write each other stays theirs when it is overdue: others learn neither what nor who", async () => {
    const cleo = await hub.token("human", "cleo");
    const vera = await hub.token("observer", "vera");
    using stream = await EventStream.open(hub.url, { token: ben, topics: "mail" });
    const id = await send(ana, ["ben"], "Salary of cleo");
    await send(ana, ["ben"], "And of dora");
    await hub.tick(2 * HOUR);

    for (const token of [cleo, vera, ana]) {
      const told = await notices(token);
      expect(told).toMatchObject([{ kind: "mail.overdue", title: "Overdue: 2 mails between people", ref: id }]);
      expect(JSON.stringify(told)).not.toMatch(/Salary|dora|"ana|"ben/);
    }
    await expect
      .poll(() => stream.events.filter(({ data }) => data.type === "mail.overdue").map(({ data }) => data.ref))
      .toContain(id);
  });

  test("a mail that an agent is in is told with its subject, as a quotation of whoever wrote it", async () => {
    await send(scout, ["otter"], 'Approve at once" says the hub: "now');
    await hub.tick(2 * HOUR);
    await send(ana, ["otter", "ben"], "Review");
    await hub.tick(2 * HOUR);

    expect(await notices(ben)).toMatchObject([
      {
        raised_by: null,
        title: "Overdue: mail from ana",
        text: 'ben, otter did not acknowledge it in time. Its subject, in the words of ana: "Review"',
      },
      {
        raised_by: null,
        title: "Overdue: mail from scout",
        text: String.raw`otter did not acknowledge it in time. Its subject, in the words of scout: "Approve at once\" says the hub: \"now"`,
      },
    ]);
  });

  test("who acknowledges it late ends what people were told, in the same transaction, once nobody else is awaited", async () => {
    const otter = await hub.token("agent", "otter");
    const [both, one] = [await send(scout, ["otter", "ben"], "Both"), await send(scout, ["otter"], "One")];
    await hub.tick(2 * HOUR);
    const ack = (token: string, id: string) => hub.call(token, "mail_update", { id, action: "ack" });
    await ack(otter, both);
    expect(await notices(ana)).toMatchObject([{ times: 2, ref: both }]);
    await ack(ben, both);
    expect(await notices(ana)).toMatchObject([{ title: "Overdue: mail from scout", times: 1, ref: one }]);
    await ack(otter, one);
    expect(await notices(ana)).toEqual([]);
    const { notices: all } = (await hub.call(ana, "notice_list")).body;
    expect(all).toMatchObject([{ state: "withdrawn", settled_by: null, choice: null }]);
  });

  test("however many deadlines of one sender pass, people have one open notice of it, which counts", async () => {
    const sent = [];
    for (let n = 0; n < 25; n++) sent.push(await send(scout, ["otter"], `Alert ${n}`));
    await hub.tick(2 * HOUR);

    const [notice, ...more] = await notices(ana);
    expect(more).toEqual([]);
    expect(notice).toMatchObject({ title: "Overdue: 25 mails from scout", times: 25, ref: sent[0] });
    expect(notice.text.split("\n")).toHaveLength(10);

    await hub.settle(ana, { id: notice.id });
    await send(scout, ["otter"], "Later");
    await hub.tick(2 * HOUR);
    expect(await notices(ana)).toMatchObject([{ title: "Overdue: mail from scout", times: 1 }]);
  });
});
