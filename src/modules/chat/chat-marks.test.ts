import { beforeEach, expect, test } from "vitest";
import { findHead } from "../../feed/index.ts";
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

  const said = async (content: string): Promise<string> =>
    (await hub.call(scout, "chat_assistant_post", { content })).body.id;
  const mark = async (id: string, more: object = {}, token = ana) =>
    (await hub.call(token, "chat_mark_read", { id, ...more })).body;
  const marks = async (token = ana) => (await hub.call(token, "chat_read_marks")).body.marks;

  /** Signs a browser in; gives what its page calls tools with. */
  async function browserOf(name: string) {
    const { code } = (await hub.call(hub.admin, "login_create", { name })).body;
    const headers = { origin: hub.url, "content-type": "application/json" };
    const answer = await hub.request("POST", "/login", { body: JSON.stringify({ code }), headers });
    const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
    return (tool: string, args: object = {}) => hub.call(undefined, tool, args, { ...headers, cookie });
  }

  test("what a person has read is known in one answer for all chats, and the default agent's by its name", async () => {
    const mason = await hub.token("agent", "mason");
    const other = (await hub.call(mason, "chat_assistant_post", { content: "from mason" })).body.id;
    const id = await said("from scout");
    expect(await marks()).toEqual([]);
    expect(await mark(id)).toEqual({ agent: "scout", read_id: id });
    expect(await mark(other, { agent: "mason" })).toEqual({ agent: "mason", read_id: other });
    expect(await marks()).toEqual([
      { agent: "scout", read_id: id },
      { agent: "mason", read_id: other },
    ]);
  });

  test("a mark goes forward and never back, however many move it at once", async () => {
    const ids: string[] = [];
    for (let at = 0; at < 6; at += 1) ids.push(await said(`message ${at}`));
    await Promise.all(ids.toReversed().map((id) => mark(id)));
    expect(await marks()).toEqual([{ agent: "scout", read_id: ids.at(-1) }]);
    expect(await mark(ids[0] ?? "")).toEqual({ agent: "scout", read_id: ids.at(-1) });
  });

  test("it is the mark that reading on goes on from", async () => {
    const id = await said("read in the browser");
    await said("new");
    await mark(id);
    const { messages } = (await hub.call(ana, "chat_read_and_advance")).body;
    expect(messages.map(({ content }: { content: string }) => content)).toEqual(["new"]);
    expect(await marks()).toEqual([{ agent: "scout", read_id: messages[0].id }]);
  });

  test("reading on from a position marks what was read up to there and what comes, never back", async () => {
    const ids: string[] = [];
    for (let at = 0; at < 4; at += 1) ids.push(await said(`message ${at}`));
    const [first = "", second = "", , last = ""] = ids;
    const readFrom = async (after_id: string, limit = 50) =>
      (await hub.call(ana, "chat_read_and_advance", { after_id, limit, agent: "scout" })).body;
    expect((await readFrom(first, 1)).messages).toMatchObject([{ id: second }]);
    expect(await marks()).toEqual([{ agent: "scout", read_id: second }]);
    expect((await readFrom(last)).messages).toEqual([]);
    expect(await marks()).toEqual([{ agent: "scout", read_id: last }]);
    expect((await readFrom(first, 1)).messages).toMatchObject([{ id: second }]);
    expect(await marks()).toEqual([{ agent: "scout", read_id: last }]);
  });

  test("IDENTITY-5: what a person read in one browser is read in all, also in those that sign in later; a token has marks of its own", async () => {
    const id = await said("hello");
    const [one, other, bens] = [await browserOf("ana"), await browserOf("ana"), await browserOf("ben")];
    await one("chat_mark_read", { id });
    const read = [{ agent: "scout", read_id: id }];
    expect((await other("chat_read_marks")).body.marks).toEqual(read);
    expect((await (await browserOf("ana"))("chat_read_marks")).body.marks).toEqual(read);
    expect((await bens("chat_read_marks")).body.marks).toEqual([]);
    expect(await marks()).toEqual([]);
  });

  test("the marks of one are nobody else's, and moving them is told to nobody", async () => {
    const ben = await hub.token("human", "ben");
    const id = await said("hello");
    const { db, actor } = await hub.as(ana);
    const head = await findHead(db, actor.space_id);
    await mark(id);
    expect(await findHead(db, actor.space_id)).toBe(head);
    expect(await marks(ben)).toEqual([]);
  });

  test("what is said before there is an agent is read too, and stays so for the first one", async () => {
    const empty = await open();
    const person = await empty.token("human", "ana");
    const { id } = (await empty.call(person, "chat_human_post", { content: "anybody?" })).body;
    expect((await empty.call(person, "chat_mark_read", { id })).body).toEqual({ agent: null, read_id: id });
    expect((await empty.call(person, "chat_read_marks")).body.marks).toEqual([{ agent: null, read_id: id }]);
    await empty.token("agent", "scout");
    expect((await empty.call(person, "chat_read_marks")).body.marks).toEqual([{ agent: "scout", read_id: id }]);
  });

  test("what was never written cannot have been read, nor in the chat of nobody, and agents mark nothing", async () => {
    await said("hello");
    expect(await mark("9007199254740991")).toMatchObject({ code: "WATERMARK_INVALID" });
    expect(await mark("nonsense")).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await mark("1", { agent: "nobody" })).toMatchObject({ code: "AGENT_NOT_FOUND" });
    expect(await mark("1", {}, scout)).toMatchObject({ code: "FORBIDDEN" });
    expect(await marks()).toEqual([]);
  });
});
