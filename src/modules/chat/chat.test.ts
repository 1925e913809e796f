import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  let scout: string;
  beforeEach(async () => {
    hub = await open();
    ana = await hub.token("human", "ana");
    scout = await hub.token("agent", "scout");
  });

  const post = (content: string) => hub.call(ana, "chat_human_post", { content });
  const contents = (page: { messages: { content: string }[] }) => page.messages.map(({ content }) => content);

  test("CHAT-2: a person's post answers exactly with its id and time, and ends the inbox", async () => {
    const { status, body } = await post("Deploy now?");

    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["id", "ts"]);
    const page = await hub.call(scout, "chat_read_since");
    expect(page.body.last_id).toBe(body.id);
    expect(page.body.messages.at(-1)).toEqual({
      id: body.id,
      ts: body.ts,
      author: "user",
      author_principal: "ana",
      mime: "text/markdown",
      content: "Deploy now?",
    });
  });

  test("CHAT-3: times are ISO-8601 in UTC and mime defaults to markdown", async () => {
    const { body } = await post("hello");

    expect(body.ts).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const page = await hub.call(ana, "chat_read_since");
    expect(page.body.messages[0].mime).toBe("text/markdown");
  });

  test("CHAT-4: a thousand posts at once get a thousand ids, increasing in the order they are read", async () => {
    const ctx = await hub.as(ana);
    const tool = hub.hub.tools.find("chat_human_post");
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, n) => hub.hub.call(ctx.actor, tool, { content: `n${n}` }, { door: "internal" })),
    );

    const ids = (answers as { id: string }[]).map(({ id }) => id);
    expect(new Set(ids).size).toBe(1000);
    const read: string[] = [];
    for (let after_id = null; ; ) {
      const { body } = await hub.call(ana, "chat_read_since", { after_id, limit: 500 });
      read.push(...body.messages.map(({ id }: { id: string }) => id));
      after_id = body.last_id;
      if (!body.has_more) break;
    }
    expect(read).toEqual([...ids].sort((a, b) => Number(a) - Number(b)));
  });

  test("CHAT-6: what was read once reads the same for ever", async () => {
    await post("first");
    const before = JSON.stringify((await hub.call(scout, "chat_read_since")).body.messages);
    await hub.call(scout, "chat_assistant_post", { content: "second" });

    const after = (await hub.call(scout, "chat_read_since")).body.messages;

    expect(JSON.stringify(after.slice(0, 1))).toBe(before);
    expect(hub.hub.tools.all.filter(({ name }) => /^chat_.*(edit|delete|update)/.test(name))).toEqual([]);
  });

  test("CHAT-11: reading since a message gives what came strictly after it, in order", async () => {
    const ids = [];
    for (const content of ["a", "b", "c"]) ids.push((await post(content)).body.id);

    const { body } = await hub.call(scout, "chat_read_since", { after_id: ids[0] });

    expect(contents(body)).toEqual(["b", "c"]);
    expect(body.last_id).toBe(ids[2]);
  });

  test("CHAT-12: paging to the end visits each message once and never runs ahead of itself", async () => {
    for (let n = 0; n < 7; n++) await post(`m${n}`);

    const seen: string[] = [];
    let after_id: string | null = null;
    let more = true;
    while (more) {
      const { body } = await hub.call(scout, "chat_read_since", { after_id, limit: 3 });
      expect(body.last_id).toBe(body.messages.at(-1).id);
      seen.push(...contents(body));
      after_id = body.last_id;
      more = body.has_more;
    }
    expect(seen).toEqual(["m0", "m1", "m2", "m3", "m4", "m5", "m6"]);
  });

  test("a page ends where its bytes would exceed 1 MiB, and the next one goes on from there", async () => {
    for (const letter of ["a", "b", "c"]) await post(letter.repeat(400_000));

    const first = (await hub.call(scout, "chat_read_since")).body;
    expect(first.messages).toHaveLength(2);
    expect(first.has_more).toBe(true);
    const second = (await hub.call(scout, "chat_read_since", { after_id: first.last_id })).body;
    expect(second.messages).toHaveLength(1);
    expect(second.has_more).toBe(false);
  });

  test("CHAT-13: with nothing new the position comes back as it was given", async () => {
    expect((await hub.call(scout, "chat_read_since")).body).toMatchObject({ messages: [], last_id: null });
    const { id } = (await post("one")).body;

    const { body } = await hub.call(scout, "chat_read_since", { after_id: id });

    expect(body).toMatchObject({ messages: [], last_id: id, has_more: false });
  });

  test("CHAT-14: reading since is stateless: the same question has the same answer", async () => {
    await post("one");
    const first = (await hub.call(scout, "chat_read_since")).body;
    expect((await hub.call(scout, "chat_read_since")).body).toEqual(first);
  });

  const refusedPosts: [unknown, string][] = [
    [{ content: "" }, "INVALID_ARGUMENT"],
    [{ content: " \n\t" }, "INVALID_ARGUMENT"],
    [{}, "INVALID_ARGUMENT"],
    [{ content: 7 }, "INVALID_ARGUMENT"],
    [{ content: "x", mime: "markdown" }, "INVALID_ARGUMENT"],
    [{ content: "x", author: "assistant" }, "INVALID_ARGUMENT"],
    [{ content: "x", session_id: "main" }, "INVALID_ARGUMENT"],
    [{ content: "a\0b" }, "INVALID_TEXT"],
    [{ content: "half \ud83d" }, "INVALID_TEXT"],
    [{ content: "x", agent: "nobody" }, "AGENT_NOT_FOUND"],
    [{ content: "x".repeat(1024 * 1024 + 1) }, "CONTENT_TOO_LARGE"],
    [["content"], "INVALID_ARGUMENT"],
    ["content", "INVALID_ARGUMENT"],
  ];

  test("CHAT-15, CHAT-16: a post that does not fit is refused with a sentence and its code, and stores nothing", async () => {
    for (const [args, code] of refusedPosts) {
      const { status, body } = await hub.call(ana, "chat_human_post", args);
      expect(body).toEqual({ code, error: expect.stringMatching(/^\S.*\.$/s) });
      expect(status).toBeGreaterThanOrEqual(400);
    }
    expect((await hub.call(ana, "chat_read_since")).body.messages).toEqual([]);
  });

  test("CHAT-15: a page size or a position that is none is refused", async () => {
    const limits = [0, 501, 1.5, "5", null].map((limit) => ({ limit }));
    const positions = ["", "abc", "-1", "99999999999999999999", 17].map((after_id) => ({ after_id }));
    for (const args of [...limits, ...positions])
      expect((await hub.call(scout, "chat_read_since", args)).body.code).toBe("INVALID_ARGUMENT");
  });

  test("a position ahead of everything written is refused, with the head and the epoch", async () => {
    const { id } = (await post("one")).body;

    const { status, body } = await hub.call(scout, "chat_read_since", { after_id: String(Number(id) + 60_000_000) });

    expect(status).toBe(400);
    expect(body).toMatchObject({ code: "WATERMARK_INVALID", last_id: id, epoch: hub.hub.database.epoch });
  });

  test("CHAT-17: two agents' inboxes are isolated", async () => {
    const mason = await hub.token("agent", "mason");
    await post("for scout");
    await hub.call(ana, "chat_human_post", { content: "for mason", agent: "mason" });

    expect(contents((await hub.call(scout, "chat_read_since")).body)).toEqual(["for scout"]);
    expect(contents((await hub.call(mason, "chat_read_since")).body)).toEqual(["for mason"]);
    const foreign = await hub.call(scout, "chat_read_since", { agent: "mason" });
    const unknown = await hub.call(scout, "chat_read_since", { agent: "nobody" });
    expect(foreign.status).toBe(404);
    expect({ ...foreign.body, error: foreign.body.error.replace("mason", "nobody") }).toEqual(unknown.body);
  });

  test("what is said before there is any agent waits for the first one", async () => {
    const empty = await open();
    const ben = await empty.token("human", "ben");
    await empty.call(ben, "chat_human_post", { content: "anybody there?" });

    const first = await empty.token("agent", "mason");
    const second = await empty.token("agent", "scout");

    expect(contents((await empty.call(first, "chat_read_since")).body)).toEqual(["anybody there?"]);
    expect(contents((await empty.call(second, "chat_read_since")).body)).toEqual([]);
  });

  test("an orchestrator that names an agent speaks as that agent, everybody else only as themselves", async () => {
    const boss = await hub.token("orchestrator", "boss");
    const mason = await hub.token("agent", "mason");
    const headers = { "x-caller-agent": "scout" };
    await hub.call(boss, "chat_assistant_post", { content: "by the boss" }, headers);
    await hub.call(mason, "chat_assistant_post", { content: "by mason" }, headers);

    const page = (await hub.call(scout, "chat_read_since")).body;
    expect(page.messages).toMatchObject([{ author: "assistant", author_principal: "scout", content: "by the boss" }]);
    expect(contents((await hub.call(mason, "chat_read_since")).body)).toEqual(["by mason"]);
  });

  test("the seeds' tool names still work", async () => {
    for (const name of ["chat.human.post", "ui_chat_human_post", "chat_human_post"])
      expect((await hub.call(ana, name, { mime: "text/plain", content: name })).status).toBe(200);
    for (const name of ["chat.read_since", "ui.chat_read_since", "ui_chat_read_since"])
      expect((await hub.call(scout, name)).body.messages).toHaveLength(3);
  });

  test("ui://chat/inbox holds the newest messages and ui://agent/status how the agent is", async () => {
    const actor = await hub.actor(ana);
    expect((await hub.hub.resources.read(actor, "ui://chat/inbox")).body).toEqual({ last_id: null, messages: [] });

    const { id } = (await post("hello")).body;
    await hub.call(scout, "agent_report", { run_phase: "sampling" });

    expect((await hub.hub.resources.read(actor, "ui://chat/scout/inbox")).body).toMatchObject({ last_id: id });
    expect((await hub.hub.resources.read(actor, "ui://agent/status")).body).toMatchObject({
      agent: "scout",
      type: "local",
      ui: { ready: true },
      run_phase: "sampling",
      pending_approvals: 0,
    });
  });
});
