/** The names of resources: those that the seeds gave, and the same as `parley://` for clients that hide `ui://`. */
import { describe, expect, test } from "vitest";
import { eachDatabase } from "../testing/hub.ts";
import { clientsOn } from "../testing/mcp.ts";
import { until } from "../testing/process.ts";

const INBOX = "parley://chat/inbox";

eachDatabase((open, database) => {
  for (const [kind, connect] of clientsOn(database))
    describe(kind, () => {
      test("is shown every ui:// resource as parley:// too, and reads the same by both", async () => {
        const hub = await open();
        await hub.token("agent", "scout");
        const token = await hub.token("human", "ana");
        await hub.call(token, "chat_human_post", { content: "hello" });
        await using ana = await connect({ url: hub.url, token });
        const shown = [...(await ana.resources()), ...(await ana.templates())];
        expect(shown).toEqual(
          expect.arrayContaining([INBOX, "parley://chat/{agent}/inbox", "parley://agent/status", "parley://agents"]),
        );
        for (const uri of shown.filter((uri) => uri.startsWith("ui://"))) {
          const other = uri.replace("ui://", "parley://");
          expect(shown).toContain(other);
          const named = (uri: string): string => uri.replace("{agent}", "scout");
          expect(await ana.read(named(other))).toEqual(await ana.read(named(uri)));
        }
        await expect(ana.read("parley://chat/nobody/inbox")).rejects.toThrow();
        await expect(ana.read("parley://nothing")).rejects.toThrow();
      });

      test("is told by the name that it follows", async () => {
        const hub = await open();
        const scout = await hub.token("agent", "scout");
        const ana = await hub.token("human", "ana");
        await using both = await connect({ url: hub.url, token: scout });
        await using one = await connect({ url: hub.url, token: scout });
        await both.subscribe(INBOX);
        await both.subscribe("ui://chat/inbox");
        await one.subscribe(INBOX);
        await hub.call(ana, "chat_human_post", { content: "hello" });
        await until(() => both.updates.length === 2 && one.updates.length === 1);
        expect(both.updates.map(({ uri }) => uri).sort()).toEqual([INBOX, "ui://chat/inbox"]);
        expect(one.updates).toMatchObject([{ uri: INBOX, _meta: { "parley/messages": [{ content: "hello" }] } }]);
      });
    });
});
