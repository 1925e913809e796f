/** What a list of chats shows, asked for once. */
import { expect, test } from "vitest";
import { eachDatabase } from "../../testing/hub.ts";

eachDatabase((open) => {
  test("every agent's chat is listed with how its last message begins and one's own mark", async () => {
    const hub = await open();
    const ana = await hub.token("human", "ana");
    const otter = await hub.token("agent", "otter");
    await hub.token("agent", "mole");
    const first = (await hub.call(ana, "chat_human_post", { content: "hello", agent: "otter" })).body;
    const last = (await hub.call(otter, "chat_assistant_post", { content: "x".repeat(1000) })).body;
    await hub.call(ana, "chat_mark_read", { id: first.id, agent: "otter" });
    expect((await hub.call(ana, "chat_list")).body.chats).toEqual([
      { agent: "otter", last: { ...last, author: "assistant", line: "x".repeat(200) }, read_id: first.id },
      { agent: "mole", last: null, read_id: null },
    ]);
    const ben = await hub.token("human", "ben");
    expect((await hub.call(ben, "chat_list")).body.chats[0].read_id).toBeNull();
    expect((await hub.call(otter, "chat_list")).status).toBe(403);
  });
});
