import { describe, expect, test } from "vitest";
import { eachDatabase, type Open, type TestHub } from "../../testing/hub.ts";
import { clientsOn, type McpClient } from "../../testing/mcp.ts";
import { Raw } from "../../testing/mcp-raw.ts";
import { until } from "../../testing/process.ts";

const inboxOf = (name: string): string => `parley://mail/${name}/inbox`;
const threadOf = (id: string): string => `parley://mail/thread/${id}`;

async function people(open: Open) {
  const hub = await open();
  const [ana, heron, otter] = [
    await hub.token("human", "ana"),
    await hub.token("agent", "heron"),
    await hub.token("agent", "otter"),
  ];
  return { hub, ana, heron, otter };
}

const send = async (hub: TestHub, token: string, to: string[], subject = "s"): Promise<string> =>
  (await hub.call(token, "mail_send", { to, subject, body: "b" })).body.id;
/** What `/mcp/mail` lists, and more. */
const MAIL =
  "mail_send mail_reply mail_inbox mail_read mail_thread mail_update mail_search mail_subscribe mail_publish".split(
    " ",
  );
const hints = (client: McpClient, uri: string): number => client.updates.filter((update) => update.uri === uri).length;

eachDatabase((open, database) => {
  for (const [kind, connect] of clientsOn(database))
    describe(kind, () => {
      test("sends, lists, reads, answers, sorts and finds mail with the tools it is shown", async () => {
        const { hub, heron, otter } = await people(open);
        await using from = await connect({ url: hub.url, token: heron, facet: "mail" });
        await using to = await connect({ url: hub.url, token: otter });
        const core = (await to.tools()).map(({ name }) => name);
        expect(core).toEqual(expect.arrayContaining(["mail_send", "mail_reply", "mail_inbox", "mail_read"]));
        // The SSE transport has no address for a facet.
        const shown = kind === "an HTTP+SSE client" ? MAIL : (await from.tools()).map(({ name }) => name);
        expect(shown).toEqual(expect.arrayContaining(MAIL));
        expect(shown).not.toContain("mail_poll");

        const sent = await from.call("mail_send", { to: ["otter"], subject: "Plan", body: "Green light" });
        const id = String(sent.structuredContent?.id);
        expect(sent.structuredContent).toEqual({ id, thread_id: id, to: ["otter"] });
        expect((await to.call("mail_inbox")).structuredContent).toMatchObject({ messages: [{ id }], unread: 1 });
        expect((await to.call("mail_read", { id })).structuredContent).toMatchObject({ body: "Green light" });
        expect((await to.call("mail_reply", { id, body: "Thanks" })).structuredContent).toMatchObject({
          thread_id: id,
        });
        expect((await to.call("mail_update", { id, action: "ack" })).structuredContent).toMatchObject({ unread: 0 });
        expect((await from.call("mail_search", { query: "thanks" })).structuredContent).toMatchObject({
          messages: [{ subject: "Re: Plan" }],
        });
        const foreign = await from.call("mail_update", { id, action: "ack" });
        expect([foreign.isError, foreign.content[0]?.text]).toEqual([true, expect.stringContaining(id)]);
      });

      test("waits for mail with a call that is answered when some comes", async () => {
        const { hub, ana, heron } = await people(open);
        await using client = await connect({ url: hub.url, token: heron });
        const waiting = client.call("mail_poll", { wait_seconds: 50 });
        await until(() => hub.hub.streams.count(({ kind }) => kind === "wait") === 1);
        const id = await send(hub, ana, ["heron"]);
        expect((await waiting).structuredContent).toMatchObject({ ended: "mail", messages: [{ id, offered: 0 }] });
      });

      test("finds the mail resources among the templates, also on the facet alone", async () => {
        const { hub, heron } = await people(open);
        await using all = await connect({ url: hub.url, token: heron });
        const templates = ["parley://mail/{agent}/inbox", "parley://mail/thread/{id}"];
        expect(await all.templates()).toEqual(expect.arrayContaining(templates));
        // The oldest transport has no facets.
        if (kind === "an HTTP+SSE client") return;
        await using facet = await connect({ url: hub.url, token: heron, facet: "mail" });
        expect((await facet.templates()).toSorted()).toEqual(templates.toSorted());
        const others = (await facet.tools()).filter(({ name }) => !name.startsWith("mail_"));
        expect(others.map(({ name }) => name)).toEqual(["event_why"]);
      });

      test("is told of its inbox when mail comes and when a copy changes, after it can be read, and marks nothing", async () => {
        const { hub, ana, heron } = await people(open);
        await using client = await connect({ url: hub.url, token: heron });
        await client.subscribe(inboxOf("heron"));
        const id = await send(hub, ana, ["heron"]);
        await until(() => hints(client, inboxOf("heron")) === 1);
        expect((await client.read(inboxOf("heron"))).body).toMatchObject({
          agent: "heron",
          messages: [{ id, read_at: null }],
          unread: 1,
        });
        await hub.call(heron, "mail_update", { id, action: "read" });
        await until(() => hints(client, inboxOf("heron")) === 2);
        expect((await client.read(inboxOf("heron"))).body).toMatchObject({ unread: 0 });
      });

      test("is told of a thread it follows, and never of another one", async () => {
        const { hub, ana, heron, otter } = await people(open);
        const followed = await send(hub, ana, ["heron", "otter"], "Followed");
        const other = await send(hub, ana, ["heron", "otter"], "Other");
        await using client = await connect({ url: hub.url, token: heron });
        await client.subscribe(threadOf(followed));

        await hub.call(otter, "mail_reply", { id: other, body: "elsewhere" });
        await hub.call(heron, "mail_update", { id: other, action: "archive" });
        await hub.call(otter, "mail_update", { id: followed, action: "ack" });
        await send(hub, ana, ["heron"], "Neither");
        await hub.call(otter, "mail_reply", { id: followed, body: "here" });
        await until(() => client.updates.length > 0);
        const { body } = await client.read(threadOf(followed));
        expect(body).toMatchObject({ thread_id: followed, messages: [{}, { body: "here" }] });
        await hub.call(heron, "mail_update", { id: followed, action: "read" });
        await until(() => client.updates.length > 1);
        expect(client.updates.map(({ uri }) => uri)).toEqual([threadOf(followed), threadOf(followed)]);
      });

      test("is never told of another's mailbox, though it is in the same threads", async () => {
        const { hub, ana, heron, otter } = await people(open);
        const id = await send(hub, ana, ["heron", "otter"]);
        await using client = await connect({ url: hub.url, token: heron });
        await client.subscribe(inboxOf("heron"));
        await hub.call(otter, "mail_update", { id, action: "ack" });
        await send(hub, ana, ["otter"]);
        await send(hub, ana, ["heron"], "The only one");
        await until(() => client.updates.length > 0);
        expect(client.updates).toHaveLength(1);
      });

      test("of a person follows the mailbox of an agent, and no other person's", async () => {
        const { hub, ana, otter } = await people(open);
        await hub.token("human", "ben");
        await using client = await connect({ url: hub.url, token: ana });
        await client.subscribe(inboxOf("heron"));
        await expect(client.subscribe(inboxOf("ben"))).rejects.toThrow();
        await expect(client.read(inboxOf("ben"))).rejects.toThrow();
        await send(hub, otter, ["heron", "ben"]);
        await until(() => hints(client, inboxOf("heron")) > 0);
        expect((await client.read(inboxOf("heron"))).body).toMatchObject({ agent: "heron", unread: 1 });
      });
    });

  test("a foreign inbox or thread reads and subscribes like one that does not exist, in both eras", async () => {
    const { hub, ana, heron } = await people(open);
    const foreign = await send(hub, ana, ["otter"], "Secret");
    const mine = new Raw(hub.url, heron);
    const session = await mine.session();
    const ask = async (uri: string, part: string): Promise<string> => {
      const params = { uri };
      const answers = [
        await mine.modern({ method: "resources/read", params }),
        await mine.legacy(session, { id: 1, method: "resources/read", params }),
        await mine.legacy(session, { id: 1, method: "resources/subscribe", params }),
      ];
      expect(answers.map(({ body }) => body.error?.code)).toEqual([-32602, -32002, -32002]);
      const listened = await (await mine.listen([uri])).all();
      return JSON.stringify([answers.map(({ body }) => body), listened]).replaceAll(part, "IT");
    };
    const none = String(Number(foreign) - 7);
    expect(await ask(threadOf(foreign), foreign)).toBe(await ask(threadOf(none), none));
    expect(await ask(inboxOf("otter"), "otter")).toBe(await ask(inboxOf("nobody"), "nobody"));
    for (const id of ["x", "0", "-1", "99999999999999999999", "%2e"]) await ask(threadOf(id), id);
  });
});
