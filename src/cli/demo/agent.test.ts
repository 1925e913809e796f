import { expect, test } from "vitest";
import { createClient } from "../../client/index.ts";
import { nodeTransport } from "../../client/node.ts";
import { eachDatabase } from "../../testing/hub.ts";
import { answerPeople } from "./agent.ts";

const START = Date.parse("2026-11-01T12:00:00Z");

eachDatabase((open) => {
  test("the demo agent is there as long as it runs, also while nobody says anything", async () => {
    const hub = await open({ now: START });
    using client = createClient({ transport: nodeTransport(hub.url), token: await hub.token("agent", "demo") });
    const [ending, ready] = [new AbortController(), Promise.withResolvers<void>()];
    const ended = answerPeople(client, { signal: ending.signal, ready: ready.resolve, beat_ms: 10 });
    await ready.promise;
    await hub.tick(60 * 60_000);
    const agents = async () => (await hub.call(hub.admin, "agent_list")).body.agents;
    await expect.poll(agents).toMatchObject([{ name: "demo", presence: "active", lifecycle: "ready" }]);
    ending.abort();
    await ended;
    expect(await agents()).toMatchObject([{ lifecycle: "stopped" }]);
  });
});
