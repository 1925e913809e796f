import { expect, test } from "vitest";
import { eachDatabase } from "../testing/hub.ts";
import { openAgentHub, portOf } from "../testing/running-agent.ts";
import { Intake } from "./intake.ts";
import { type HubPort, RetryingPort } from "./port.ts";

const MESSAGES = 30;

eachDatabase((open) => {
  test("RUN-7: a storm costs one read in flight and one behind it, and brings each message once", async () => {
    const { hub, scout, tell } = await openAgentHub(open);
    const port = await portOf(hub, scout, "in process");
    let [reads, at_once, most_at_once] = [0, 0, 0];
    const counted: HubPort["call"] = async (tool, args, options) => {
      if (tool !== "runtime_next" || (args as { wait_seconds: number }).wait_seconds > 0)
        return port.call(tool, args, options);
      reads += 1;
      at_once += 1;
      most_at_once = Math.max(most_at_once, at_once);
      const answer = await port.call(tool, args, options);
      at_once -= 1;
      return answer;
    };
    const stop = new AbortController();
    const retrying = new RetryingPort({ ...port, call: counted });
    const intake = await Intake.open(retrying, { driver: "scripted", signal: stop.signal });
    await intake.catchUp();
    for (let n = 0; n < MESSAGES; n += 1) await tell(`message ${n}`);
    reads = 0;
    await Promise.all(Array.from({ length: 100 }, () => intake.catchUp()));
    expect([reads, most_at_once]).toEqual([2, 1]);
    const said = intake.take().map((input) => "content" in input && input.content);
    expect(said).toEqual(Array.from({ length: MESSAGES }, (_, n) => `message ${n}`));
    stop.abort();
    expect(await intake.over).toBe("stopped");
  });
});
