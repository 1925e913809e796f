import { expect, test } from "vitest";
import { eachDatabase } from "../testing/hub.ts";
import { CLIENTS } from "../testing/mcp.ts";

eachDatabase((open) => {
  for (const [kind, connect] of Object.entries(CLIENTS))
    test(`what led to a call may be declared with it by ${kind}`, async () => {
      const hub = await open();
      const [ana, scout] = [await hub.token("human", "ana"), await hub.token("agent", "scout")];
      const asked = (await hub.call(ana, "chat_human_post", { content: "hello" })).body.id;
      await using client = await connect({ url: hub.url, token: scout });
      const say = (cause: unknown) => client.call("chat_assistant_post", { content: "yes" }, { "parley/cause": cause });

      const { structuredContent: said } = await say(asked);
      const { body } = await hub.call(ana, "event_why", { id: said?.id });
      expect(body.steps).toMatchObject([{ id: said?.id, how: "declared" }, { id: asked }]);

      for (const wrong of [{ not: "an id" }, { toString: "no function" }]) {
        const { isError, content } = await say(wrong);
        expect([isError, content[0]?.text]).toEqual([true, expect.stringContaining("INVALID_ARGUMENT")]);
      }
    });
});
