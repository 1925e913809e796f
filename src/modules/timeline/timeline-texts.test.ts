/** What a call gave and was given, however long: for people, a page at a time. */
import { expect, test } from "vitest";
import { Consumer } from "../../testing/agent-runtime.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { readAll } from "../../testing/timeline-fold.ts";

/** Longer than an item has, of characters that are two units each: 60,001 of them. */
const LONG = `.${"🦊".repeat(30_000)}`;

/** As a reader does: from page to page. */
async function pages(hub: TestHub, token: string, args: object): Promise<string[]> {
  const read: string[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const { status, body } = await hub.call(token, "timeline_text", { ...args, offset });
    expect([status, body.length, body.offset]).toEqual([200, LONG.length, offset]);
    read.push(body.text);
    offset = body.next_offset;
  }
  return read;
}

eachDatabase((open) => {
  const openHub = async () => {
    const hub = await open({ config: { rate_limit: 1_000_000 } });
    const [ana, scout] = [await hub.token("human", "ana"), await hub.token("agent", "scout")];
    await hub.call(ana, "chat_human_post", { content: "Go.", agent: "scout" });
    const consumer = new Consumer(hub, scout);
    await consumer.start();
    await consumer.drain();
    return { hub, ana, scout, consumer, turn_id: await consumer.begin() };
  };

  test("people read all of what a call gave and was given, in pages that are whole characters; a short one is one page", async () => {
    const { hub, ana, scout, consumer, turn_id } = await openHub();
    const args = `{"text":"${LONG.slice(11)}"}`;
    await consumer.tell(turn_id, { type: "ToolCall", sample: 0, call_id: "a", tool: "write", arguments: args });
    await consumer.call(turn_id, "b");
    const [, long, short] = await readAll(hub, ana);
    const id = long?.id ?? "";
    // While it runs it has given nothing.
    expect((await hub.call(ana, "timeline_text", { agent: "scout", id })).body).toMatchObject({ text: "", length: 0 });
    await consumer.output(turn_id, "a", LONG);
    await consumer.output(turn_id, "b", "ok");

    const given = await pages(hub, ana, { agent: "scout", id });
    expect(given.join("")).toBe(LONG);
    expect(given.length).toBe(4);
    expect(given.every((page) => page.isWellFormed() && page.length <= 16 * 1024 + 1)).toBe(true);
    expect((await pages(hub, ana, { agent: "scout", id, part: "arguments", limit: 128 * 1024 })).join("")).toBe(args);
    // The agent reads its own, too.
    expect((await pages(hub, scout, { id, limit: 20_000 })).join("")).toBe(LONG);
    const { body } = await hub.call(ana, "timeline_text", { agent: "scout", id: short?.id });
    expect(body).toEqual({ id: short?.id, part: "output", text: "ok", offset: 0, next_offset: null, length: 2 });
    const beyond = await hub.call(ana, "timeline_text", { agent: "scout", id, offset: 1_000_000 });
    expect(beyond.body).toMatchObject({ text: "", next_offset: null });
  });

  test("whoever may not read the timeline may not read this, and what is no call is none", async () => {
    const { hub, ana, consumer, turn_id } = await openHub();
    const mason = await hub.token("agent", "mason");
    await consumer.call(turn_id, "a");
    await consumer.output(turn_id, "a", LONG);
    const [said, called] = await readAll(hub, ana);
    const read = async (token: string, args: object) => (await hub.call(token, "timeline_text", args)).body.code;
    expect(await read(mason, { agent: "scout", id: called?.id })).toBe("AGENT_NOT_FOUND");
    expect(await read(mason, { id: called?.id })).toBe("NOT_FOUND");
    expect(await read(ana, { agent: "mason", id: called?.id })).toBe("NOT_FOUND");
    expect(await read(ana, { agent: "scout", id: said?.id })).toBe("NOT_FOUND");
    expect(await read(ana, { agent: "scout", id: called?.id, limit: 1_000_000 })).toBe("INVALID_ARGUMENT");
  });
});
