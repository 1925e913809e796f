/** What every page shows: one request for all of it, and hints that say whom they are about. */
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { Raw } from "../../testing/mcp-raw.ts";

eachDatabase((open) => {
  let hub: TestHub;
  let [ana, ben, scout]: string[] = [];
  beforeEach(async () => {
    hub = await open();
    [ana, ben] = [await hub.token("human", "ana"), await hub.token("human", "ben")];
    scout = await hub.token("agent", "scout");
  });

  const call = async (token: string | undefined, tool: string, args: object = {}) =>
    (await hub.call(token, tool, args)).body;
  const ask = (title: string) =>
    call(scout, "approval_request", { key: title, call_id: title, server: "runtime", tool: title, arguments: {} });

  test("one request has the agents, the last lines and marks, what is unread and how much waits", async () => {
    const { id } = await call(scout, "chat_assistant_post", { content: "Hello." });
    await call(ana, "chat_mark_read", { id, agent: "scout" });
    await call(scout, "mail_send", { to: ["ana"], subject: "Look", body: "b", priority: "urgent" });
    await ask("May I?");
    const { parts } = await call(ana, "space_glance");
    expect(parts).toMatchObject({
      agents: { agents: [{ name: "scout", run_phase: "waiting_approval", asks: 1 }] },
      chats: {
        ready: true,
        chats: [{ agent: "scout", last: { id, author: "assistant", line: "Hello." }, read_id: id }],
        marks: [{ agent: "scout", read_id: id }],
      },
      mail: {
        mailboxes: [
          { agent: "ana", unread: 1 },
          { agent: "scout", unread: 0 },
        ],
      },
      needs: { count: 2, needs: null, next: null, put_off: null },
    });
  });

  test("only the parts that are asked for are read, and in full those of which all is shown", async () => {
    const { id } = await ask("May I?");
    const { id: later } = await ask("May I go on?");
    await call(ana, "need_later", { id: later, until: "1h" });
    expect(await call(ana, "space_glance", { parts: ["needs"], full: ["needs"] })).toMatchObject({
      parts: {
        needs: {
          count: 1,
          needs: [{ id, title: "scout asks: may it use May I??" }],
          next: null,
          put_off: [{ id: later }],
        },
      },
    });
    expect(Object.keys((await call(ana, "space_glance", { parts: ["mail", "chats"] })).parts).sort()).toEqual([
      "chats",
      "mail",
    ]);
    expect(await call(ana, "space_glance", { parts: ["weather"] })).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await call(scout, "space_glance")).toMatchObject({ code: "FORBIDDEN" });
  });

  test("one event is one hint, which says what it is about, but not whose mail of other people", async () => {
    using stream = await new Raw(hub.url, ana ?? "").listen(["ui://glance"]);
    const heard = async (count: number) => (await stream.first(count)).at(-1)?.params?.parts;
    await stream.first(1);
    await call(scout, "mail_send", { to: ["ana"], subject: "s", body: "b" });
    expect(await heard(2)).toEqual({ mail: { agent: "ana" }, needs: { topic: "mail" } });
    await call(ana, "mail_send", { to: ["scout"], subject: "s", body: "b" });
    // Of what she sent herself she hears that it may need her no longer.
    expect(await heard(3)).toEqual({ needs: { topic: "mail" } });
    expect(await heard(4)).toEqual({ mail: { agent: "scout" } });
    await call(scout, "mail_send", { to: ["ben"], subject: "s", body: "b" });
    expect(await heard(5)).toEqual({ mail: {} });
    await call(scout, "chat_assistant_post", { content: "Hello." });
    expect(await heard(6)).toEqual({ chats: { agent: "scout" } });
    await ask("May I?");
    // That it is there, as whoever asks is, is an event of its own.
    expect(await heard(7)).toEqual({ agents: {} });
    expect(await heard(8)).toEqual({ agents: {}, needs: { topic: "notice" } });
    expect(ben).toBeDefined();
  });
});
