/** What runs an agent is killed again and again around a call that a person approves: it is run once, and told once. */
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callUntilKnown } from "../src/testing/crowd.ts";
import { ModelServer, openaiEvents, streams } from "../src/testing/model-server.ts";
import { type Child, until } from "../src/testing/process.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";
import { writtenLines } from "../src/testing/written.ts";

const NOTE = { tool: "runtime_exec", arguments: JSON.stringify({ cmd: ["sh", "-c", "echo noted | tee -a notes"] }) };
const POST = { tool: "chat_assistant_post", arguments: JSON.stringify({ content: "It is noted." }) };
const YIELD = { tool: "loop_yield_turn", arguments: "{}" };

async function openGround(restarts: Restarts) {
  await restarts.start();
  const { ground } = restarts;
  const [ana, scout] = [await restarts.token("human", "ana"), await restarts.token("agent", "scout")];
  const server = await ModelServer.open();
  const folder = join(ground.folder, "work");
  mkdirSync(folder);
  const notes = (): string[] => {
    const path = join(folder, "notes");
    return writtenLines(path);
  };
  const options = ["--driver", "openai", "--model", "m", "--base-url", `${server.url}/v1`, "--exec", folder];
  let generation = 0;
  const run = async (): Promise<Child> => {
    const env = { PARLEY_URL: restarts.hub.url, PARLEY_TOKEN: scout.token };
    const child = ground.start(["agent", "run", "scout", "--json", ...options], env);
    generation += 1;
    await until(async () => {
      const { body } = await callUntilKnown(ana, "agent_status", { agent: "scout" });
      return body.generation === generation && body.lifecycle === "ready" && body.mounts.runtime?.state === "running";
    });
    return child;
  };
  const answers = (...calls: { tool: string; arguments: string }[]) =>
    server.replies(...calls.map((call) => streams(openaiEvents({ calls: [call] }))));
  const tell = (content: string) => callUntilKnown(ana, "chat_human_post", { content, agent: "scout" }, content);
  const asked = async () => (await callUntilKnown(ana, "approval_list", {})).body.approvals[0];
  const approve = async () => {
    const { id, digest } = await asked();
    await callUntilKnown(ana, "approval_decide", { id, digest, decision: "approve" });
  };
  const ends = async (): Promise<string[]> => {
    const { items } = (await callUntilKnown(ana, "timeline_read", { agent: "scout", limit: 500 })).body;
    // One that has yielded has no outcome until the runtime says that it is over.
    return items.flatMap(({ kind, outcome }: { kind: string; outcome: string | null }) =>
      kind === "EndTurn" && outcome !== null ? outcome : [],
    );
  };
  /** How often the last question to the model says what came of the call since. */
  const toldOf = (): number => (server.asked.at(-1)?.text.split(String.raw` since:\n`).length ?? 1) - 1;
  return { run, answers, tell, asked, approve, ends, notes, toldOf };
}

async function killed(child: Child): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

eachDatabaseOfHubs((database) => {
  test.each(["the runtime", "the runtime with its hub"])(
    "CRASH-3 and POLICY-14: a call that waits for a person is run once and told exactly once where %s is killed while it waits, after it was run, and before it was told",
    async (what) => {
      await using restarts = await Restarts.on(database);
      const { run, answers, tell, asked, approve, ends, notes, toldOf } = await openGround(restarts);
      const crash = async (child: Child): Promise<Child> => {
        await killed(child);
        if (what === "the runtime with its hub") {
          await restarts.kill();
          await restarts.start();
        }
        return run();
      };
      answers(NOTE);
      let child = await run();
      await tell("note it");
      await until(async () => (await asked())?.state === "pending");
      child = await crash(child);
      expect([(await asked()).state, notes()]).toEqual(["pending", []]);
      await approve();
      await until(async () => (await asked()).state === "completed");
      child = await crash(child);
      await crash(child);
      expect([(await asked()).state, notes()]).toEqual(["completed", ["noted"]]);
      answers(POST, YIELD);
      await tell("and now?");
      await until(async () => (await ends()).length === 2);
      expect([await ends(), toldOf()]).toEqual([["interrupted", "finished"], 1]);
      answers(YIELD);
      await tell("and then?");
      await until(async () => (await ends()).length === 3);
      expect([toldOf(), notes(), (await asked()).state]).toEqual([1, ["noted"], "completed"]);
    },
  );
});
