import { expect, test } from "vitest";
import { eachDatabase } from "../testing/hub.ts";
import { clientsOn } from "../testing/mcp.ts";
import { legacy, Raw } from "../testing/mcp-raw.ts";
import { until } from "../testing/process.ts";

const INBOX = "ui://chat/inbox";

eachDatabase((open, database) => {
  for (const [kind, connect] of clientsOn(database)) {
    test(`${kind} is never told of what goes to another agent`, async () => {
      const hub = await open();
      const [scout, mason] = [await hub.token("agent", "scout"), await hub.token("agent", "mason")];
      const ana = await hub.token("human", "ana");
      await using first = await connect({ url: hub.url, token: scout });
      await using second = await connect({ url: hub.url, token: mason });
      await first.subscribe(INBOX);
      await second.subscribe(INBOX);

      await hub.call(ana, "chat_human_post", { content: "for mason", agent: "mason" });
      await hub.call(ana, "chat_human_post", { content: "for scout", agent: "scout" });
      await hub.call(ana, "chat_human_post", { content: "again for mason", agent: "mason" });
      await until(() => first.updates.length > 0 && second.updates.length > 1);
      const told = (client: typeof first) => client.updates.flatMap((update) => update.messages ?? []);
      expect(told(first).map(({ content }) => content)).toEqual(["for scout"]);
      expect(told(second).map(({ content }) => content)).toEqual(["for mason", "again for mason"]);
    });

    test(`${kind} is never told of what happens in another space`, async () => {
      const hub = await open();
      const ana = await hub.token("human", "ana");
      const scout = await hub.token("agent", "scout");
      await hub.call(hub.admin, "space_create", { id: "sess_other" });
      const mason = await hub.token("agent", "mason", "sess_other");
      const ben = await hub.token("human", "ben", "sess_other");
      await using here = await connect({ url: hub.url, token: scout });
      await using there = await connect({ url: hub.url, token: mason, space: "sess_other" });
      await here.subscribe(INBOX);
      await there.subscribe(INBOX);

      const say = (token: string, content: string) => hub.call(token, "chat_human_post", { content });
      const posts = [await say(ben, "there"), await say(ana, "here"), await say(ben, "there again")];
      expect(posts.map(({ status }) => status)).toEqual([200, 200, 200]);
      await until(() => here.updates.length > 0 && there.updates.length > 1);
      const told = (client: typeof here) => client.updates.flatMap((update) => update.messages ?? []);
      expect(told(here).map(({ content }) => content)).toEqual(["here"]);
      expect(told(there).map(({ content }) => content)).toEqual(["there", "there again"]);
    });
  }

  test("somebody else's inbox looks to a listener like one that does not exist", async () => {
    const hub = await open();
    const scout = new Raw(hub.url, await hub.token("agent", "scout"));
    await hub.token("agent", "mason");
    const answers = await Promise.all(
      ["mason", "nobody"].map(async (name) => (await scout.listen([`ui://chat/${name}/inbox`])).all()),
    );
    expect(answers[0]).toMatchObject([
      { method: "notifications/subscriptions/acknowledged", params: { notifications: {} } },
      { id: 7, result: { resultType: "complete" } },
    ]);
    expect(answers[0]?.[0].params.notifications).toEqual({});
    expect(answers[1]).toEqual(answers[0]);
  });

  test("somebody else's inbox reads and subscribes like one that does not exist, in both eras", async () => {
    const hub = await open();
    const scout = new Raw(hub.url, await hub.token("agent", "scout"));
    await hub.token("agent", "mason");
    const session = await scout.session();
    const ask = async (template: string, name: string): Promise<string> => {
      const params = { uri: template.replace("NAME", name) };
      const answers = [
        await scout.modern({ method: "resources/read", params }),
        await scout.legacy(session, { id: 1, method: "resources/read", params }),
        await scout.legacy(session, { id: 1, method: "resources/subscribe", params }),
      ];
      expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual([
        [200, -32602],
        [200, -32002],
        [200, -32002],
      ]);
      return JSON.stringify(answers.map(({ body }) => body)).replaceAll(name, "NAME");
    };
    for (const template of ["ui://chat/NAME/inbox", "parley://timeline/NAME"]) {
      const unknown = await ask(template, "nobody");
      // Nor is what could be nobody's name anything else.
      for (const name of ["mason", "%00", "__proto__", "x".repeat(300)])
        expect([template, name, await ask(template, name)]).toEqual([template, name, unknown]);
    }
  });

  test("a URI that no database could hold is that of a resource that is not there, in both eras", async () => {
    const hub = await open();
    const ana = new Raw(hub.url, await hub.token("human", "ana"));
    const session = await ana.session();
    const templates = hub.hub.modules.flatMap(({ resources = [] }) => resources.map(({ uri }) => uri));
    for (const odd of ["a\0b", "\ud800"]) {
      const uris = templates.map((uri) => uri.replaceAll(/\{[a-z_]+\}/g, odd)).filter((uri) => uri.includes(odd));
      expect(uris.length).toBeGreaterThan(5);
      for (const uri of uris)
        for (const method of ["resources/read", "resources/subscribe"]) {
          const { status, body } = await ana.legacy(session, { id: 1, method, params: { uri } });
          expect([uri, status, body.error]).toMatchObject([uri, 200, { code: -32002, data: { uri } }]);
          expect([uri, body.error.data.code]).toEqual([uri, "UNKNOWN_RESOURCE"]);
        }
      const [acknowledged] = await (await ana.listen(uris)).all();
      expect(acknowledged).toMatchObject({ params: { notifications: {} } });
    }
  });

  // The rest is decided by what was sent, whichever database there is.
  if (database !== "sqlite") return;

  test("a session of the older era exists only for its own principal, in its own space and facet", async () => {
    const hub = await open();
    await hub.call(hub.admin, "space_create", { id: "sess_other" });
    const token = await hub.token("human", "ana");
    const ana = new Raw(hub.url, token);
    const ben = new Raw(hub.url, await hub.token("human", "ben"));
    const session = await ana.session();
    const list = { id: 1, method: "tools/list" };
    expect((await ana.legacy(session, list)).status).toBe(200);

    const unknown = await ben.legacy("c3VjaC1hLXNlc3Npb24tbmV2ZXItd2Fz", list);
    expect(unknown.status).toBe(404);
    expect(await ben.legacy(session, list)).toMatchObject({ status: 404, body: unknown.body });
    expect(await ana.legacy(session, list, "/mcp/mail")).toMatchObject({ status: 404, body: unknown.body });
    const admin = new Raw(hub.url, hub.admin);
    const elsewhere = await new Raw(hub.url, hub.admin, "sess_other").session();
    expect(await admin.legacy(elsewhere, list)).toMatchObject({ status: 404, body: unknown.body });
    for (const method of ["GET", "DELETE"])
      expect((await ben.send(method, "/mcp", { headers: { "mcp-session-id": session } })).status).toBe(404);
    expect((await ana.legacy(session, list)).status).toBe(200);
  });

  test("a stream of the oldest transport takes messages from its own principal alone", async () => {
    const hub = await open();
    const ana = new Raw(hub.url, await hub.token("human", "ana"));
    const ben = new Raw(hub.url, await hub.token("human", "ben"));
    using stream = await ana.stream("GET", "/sse");
    const [path] = await stream.first(1);
    const body = legacy({ id: 1, method: "ping" });
    expect((await ben.send("POST", path, { body })).status).toBe(404);
    expect((await ana.send("POST", path, { body })).status).toBe(202);
    expect((await stream.first(2))[1]).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });

  test("clients that use the same request ids at once get their own answers", async () => {
    const hub = await open();
    const people = await Promise.all(
      ["ana", "ben", "eva", "tom"].map(async (name) => {
        const raw = new Raw(hub.url, await hub.token("human", name));
        return { name, raw, session: await raw.session() };
      }),
    );
    const whoami = { id: 1, method: "tools/call", params: { name: "whoami", arguments: {} } };
    const asked = Array.from({ length: 25 }, () => people).flat();
    await Promise.all(
      asked.flatMap(({ name, raw, session }) =>
        [raw.modern(whoami), raw.legacy(session, whoami)].map(async (answer) => {
          const { body } = await answer;
          expect(body).toMatchObject({ id: 1, result: { structuredContent: { principal: name } } });
        }),
      ),
    );
  });

  test("one session that uses an id twice at once gets both answers", async () => {
    const hub = await open();
    const ana = new Raw(hub.url, await hub.token("human", "ana"));
    await hub.token("agent", "scout");
    const session = await ana.session();
    const post = (content: string) =>
      ana.legacy(session, { id: 5, method: "tools/call", params: { name: "chat_human_post", arguments: { content } } });
    const [list, ...posts] = await Promise.all([
      ana.legacy(session, { id: 5, method: "tools/list" }),
      ...["one", "two", "three"].map(post),
    ]);
    expect(list?.body.result.tools).toBeDefined();
    const ids = posts.map(({ body }) => body.result.structuredContent.id);
    expect(new Set(ids).size).toBe(3);
  });

  test("a batch of the older era is answered as a batch", async () => {
    const hub = await open();
    const ana = new Raw(hub.url, await hub.token("human", "ana"));
    const session = await ana.session();
    const messages = [
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 2, method: "tools/list" },
    ];
    const headers = { "mcp-session-id": session };
    const { status, body } = await ana.send("POST", "/mcp", { body: JSON.stringify(messages), headers });
    expect(status).toBe(200);
    expect(body.map(({ id }: { id: number }) => id).sort()).toEqual([1, 2]);
  });

  test("a batch with one Idempotency-Key for all of it is refused, since it could not be repeated safely", async () => {
    const hub = await open();
    const token = await hub.token("human", "ana");
    const ana = new Raw(hub.url, token);
    const headers = { "mcp-session-id": await ana.session(), "idempotency-key": "once" };
    const call = { name: "chat_human_post", arguments: { content: "hello" } };
    const messages = [
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: call },
      { jsonrpc: "2.0", id: 2, method: "ping" },
    ];
    const { status, body } = await ana.send("POST", "/mcp", { body: JSON.stringify(messages), headers });
    expect([status, body.error.data.code]).toEqual([400, "INVALID_ARGUMENT"]);
    expect((await hub.call(token, "chat_read_since")).body.messages).toEqual([]);
  });
});
