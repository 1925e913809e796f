import { expect, test } from "vitest";
import { eachDatabase } from "./testing/hub.ts";
import { stopTime } from "./testing/stopwatch.ts";

eachDatabase((open) => {
  test("whoever tells very many streams of its own what it does pays for each of them, and nobody else does", async () => {
    const hub = await open({ config: { rate_limit: 10 } });
    const [ana, ben] = [await hub.token("human", "ana"), await hub.token("human", "ben")];
    const credential = { token: ana, space_id: undefined, caller_agent: undefined };
    const actor = await hub.hub.credentials.authenticate(credential);
    const follow = (count: number): void => {
      for (let n = 0; n < count; n += 1) hub.hub.streams.add({ kind: "events", actor, close: () => {} });
    };
    const post = async (token: string) => (await hub.call(token, "chat_human_post", { content: "hello" })).status;
    stopTime();
    follow(30);
    for (let n = 0; n < 5; n += 1) expect(await post(ana)).toBe(200);
    follow(2000);
    expect([await post(ben), await post(ana), await post(ana), await post(ben)]).toEqual([200, 200, 429, 200]);
  });
});
