/** What a page asks for once, instead of once for each mailbox. */
import { expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

const send = async (hub: TestHub, from: string, letter: object) =>
  (await hub.call(from, "mail_send", { subject: "s", body: "b", ...letter })).body.id;

eachDatabase((open) => {
  test("one call counts what is unread in one's own mailbox and in every agent's, as their lists do", async () => {
    const hub = await open();
    const ana = await hub.token("human", "ana");
    const otter = await hub.token("agent", "otter");
    await hub.token("agent", "mole");
    await send(hub, otter, { to: ["ana", "mole"] });
    await send(hub, otter, { to: ["mole"], priority: "urgent" });
    const read = await send(hub, ana, { to: ["otter"] });
    await hub.call(otter, "mail_read", { id: read });
    const { mailboxes } = (await hub.call(ana, "mail_counts")).body;
    expect(mailboxes).toEqual([
      { agent: "ana", unread: 1, unread_more: false },
      { agent: "otter", unread: 0, unread_more: false },
      { agent: "mole", unread: 2, unread_more: false },
    ]);
    for (const { agent, unread } of mailboxes)
      expect((await hub.call(ana, "mail_inbox", { agent })).body.unread).toBe(unread);
    const { overview } = (await hub.call(ana, "mail_inbox", { overview: true })).body;
    expect(overview.mailboxes).toEqual(mailboxes);
  });

  test("an agent is told its own count alone", async () => {
    const hub = await open();
    const otter = await hub.token("agent", "otter");
    const mole = await hub.token("agent", "mole");
    await send(hub, otter, { to: ["mole"] });
    expect((await hub.call(mole, "mail_counts")).body.mailboxes).toEqual([
      { agent: "mole", unread: 1, unread_more: false },
    ]);
  });

  test("what waits for somebody comes with the page that is asked for, as many as need_list counts, and which of it is mail", async () => {
    const hub = await open({ now: Date.parse("2026-11-01T12:00:00Z") });
    const ana = await hub.token("human", "ana");
    const otter = await hub.token("agent", "otter");
    const to = ["ana"];
    const due = await send(hub, otter, { to, deadline: "1h" });
    const urgent = await send(hub, otter, { to, priority: "urgent" });
    const later = await send(hub, otter, { to, priority: "urgent" });
    await send(hub, otter, { to });
    await hub.call(otter, "notice_raise", { key: "k", kind: "question", title: "May I?", choices: ["yes", "no"] });
    await hub.call(ana, "mail_read", { id: urgent });
    await hub.call(ana, "need_later", { id: later, until: "1h" });
    const overview = async (token: string, args: object = {}) =>
      (await hub.call(token, "mail_inbox", { overview: true, limit: 1, ...args })).body.overview;
    const listed = await overview(ana);
    expect(listed.needs).toBe((await hub.call(ana, "need_list", { limit: 100 })).body.count);
    expect(listed.needs).toBe(3);
    expect(listed.pressing).toMatchObject([{ id: urgent }, { id: due }]);
    await hub.call(ana, "mail_update", { ids: [urgent, due], action: "archive" });
    expect((await overview(ana)).pressing).toEqual([]);
    expect(await overview(ana, { agent: "otter" })).toMatchObject({ needs: 1, pressing: [] });
    expect(await overview(otter)).toMatchObject({ needs: null, pressing: [] });
    expect((await hub.call(ana, "mail_inbox")).body).not.toHaveProperty("overview");
  });
});
