/** A runtime, or its hub, is killed in a turn: what the model's answers cost is charged once each, and in the turns' sums. */
import { expect, test } from "vitest";
import { callUntilKnown } from "../src/testing/crowd.ts";
import { ModelServer, openaiEvents, streams } from "../src/testing/model-server.ts";
import { exited, until } from "../src/testing/process.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";

const USED = { input_tokens: 1000, output_tokens: 200 };
/** Of one answer, in millionths of a dollar. */
const COST = 6000;
const LOOK = { tool: "mail_inbox", arguments: "{}" };
const YIELD = { tool: "loop_yield_turn", arguments: "{}" };

interface Item {
  kind: string;
  outcome: string | null;
  cost_usd: number | null;
}

async function openGround(restarts: Restarts) {
  await restarts.start();
  const { ground } = restarts;
  const [ana, scout] = [await restarts.token("human", "ana"), await restarts.token("agent", "scout")];
  const server = await ModelServer.open();
  const budget = { scope: "agent", name: "scout", per_day: { cost_usd: 100 } };
  await callUntilKnown(ana, "budget_set", budget);
  const options = ["--driver", "openai", "--model", "m", "--base-url", `${server.url}/v1`, "--price", "3,15"];
  const run = (env: Record<string, string> = {}) =>
    ground.start(["agent", "run", "scout", "--json", ...options], {
      ...{ PARLEY_URL: restarts.hub.url, PARLEY_TOKEN: scout.token, ...env },
    });
  const answers = (...calls: { tool: string; arguments: string }[]) =>
    server.replies(streams(openaiEvents({ calls, ...USED })));
  const tell = (content: string) =>
    callUntilKnown(ana, "chat_human_post", { content, agent: "scout" }, `say ${content}`);
  const ends = async (): Promise<Item[]> => {
    const { items } = (await callUntilKnown(ana, "timeline_read", { agent: "scout", limit: 500 })).body;
    return items.filter(({ kind, outcome }: Item) => kind === "EndTurn" && outcome !== null);
  };
  const ready = () =>
    until(async () => {
      const { body } = await callUntilKnown(ana, "agent_status", { agent: "scout" });
      return body.generation === 1 && body.lifecycle === "ready";
    });
  const micros = (cost_usd: number | null): number => Math.round((cost_usd ?? 0) * 1_000_000);
  const charged = async () => micros((await callUntilKnown(ana, "budget_list", {})).body.budgets[0].used.cost_usd);
  const summed = async () => (await ends()).reduce((sum, { cost_usd }) => sum + micros(cost_usd), 0);
  return { run, ready, answers, tell, ends, charged, summed };
}

eachDatabaseOfHubs((database) => {
  test("CRASH-3 and TASK-36: what a model's answer cost is charged once where its runtime is killed before what it called, or after", async () => {
    await using restarts = await Restarts.on(database);
    const { run, answers, tell, ends, charged, summed } = await openGround(restarts);
    let answered = 0;
    for (const point of ["tool.before_run@mail_inbox:kill", "tool.after_run@mail_inbox:kill:2"]) {
      const child = run({ PARLEY_FAILPOINT: point });
      const asked = point.endsWith(":2") ? 2 : 1;
      for (let n = 0; n < asked; n += 1) answers(LOOK);
      await tell(point);
      await exited(child);
      expect([point, child.signalCode]).toEqual([point, "SIGKILL"]);
      answered += asked;
      const turns = (await ends()).length;
      const next = run();
      await until(async () => (await ends()).length > turns);
      expect([point, await charged(), await summed()]).toEqual([point, answered * COST, answered * COST]);
      next.kill("SIGTERM");
      await exited(next);
    }
  });

  test("CRASH-3 and TASK-36: a hub that is killed before or after it has stored an answer charges it once, and the turn goes on", async () => {
    await using restarts = await Restarts.on(database);
    const { run, ready, answers, tell, ends, charged, summed } = await openGround(restarts);
    run();
    await ready();
    let answered = 0;
    for (const point of ["post.before_commit", "post.after_commit"]) {
      // Somewhere in the middle of the turn, which has a dozen writes.
      for (const nth of [4, 6]) {
        const turns = (await ends()).length;
        await restarts.kill();
        await restarts.start({ PARLEY_FAILPOINT: `${point}:kill:${nth}` });
        for (const calls of [[LOOK], [LOOK], [YIELD]]) answers(...calls);
        const told = tell(`${point} ${nth}`);
        expect([point, nth, await restarts.ended()]).toEqual([point, nth, { code: null, signal: "SIGKILL" }]);
        await restarts.start();
        await told;
        await until(async () => (await ends()).length > turns);
        answered += 3;
        expect([point, nth, await charged(), await summed()]).toEqual([point, nth, answered * COST, answered * COST]);
      }
    }
  });
});
