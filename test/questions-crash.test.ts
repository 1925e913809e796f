/** An orchestrator and a hub are killed while people are asked: the answer comes once, and so does the going on. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Failpoint } from "../src/failpoints.ts";
import { type Caller, callTool, callUntilKnown } from "../src/testing/crowd.ts";
import { EventStream } from "../src/testing/event-stream.ts";
import { type Child, until } from "../src/testing/process.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";
import { writtenLines } from "../src/testing/written.ts";

const PROGRAM = fileURLToPath(new URL("../src/testing/agents/workflow-program.ts", import.meta.url));
const KILLED = { code: null, signal: "SIGKILL" };
const POINTS: readonly Failpoint[] = ["post.before_commit", "post.in_commit", "post.after_commit", "post.before_ack"];

/** Of everything that was told of checkpoints, from the first event on. */
async function resumedOf({ url, token }: Caller, count: number): Promise<string[]> {
  using stream = await EventStream.open(url(), { token, topics: "questions", last_event_id: "0" });
  const resumed = () =>
    stream.events.filter(({ data }) => data.type === "checkpoint.resumed").map(({ data }) => data.checkpoint_id);
  await until(() => resumed().length >= count);
  // What else there is of it comes before this.
  const marked = stream.events.length;
  const marking = await callUntilKnown({ url, token }, "workflow_check", { output: "need human input to continue" });
  expect(marking.status).toBe(200);
  await until(() => stream.events.length > marked);
  return resumed();
}

eachDatabaseOfHubs((database) => {
  test("an orchestrator that is killed between a pause and its answer is replaced by one that goes on, exactly once", async () => {
    await using restarts = await Restarts.on(database);
    await restarts.start();
    const [scout, ana] = [await restarts.token("agent", "scout"), await restarts.token("human", "ana")];
    const chief = await restarts.token("orchestrator", "chief");
    const file = join(restarts.ground.folder, "did");
    const did = (): string[] => writtenLines(file);
    const begin = (): Child =>
      restarts.ground.watch(
        spawn(process.execPath, [PROGRAM, restarts.hub.url, chief.token, file], { stdio: ["pipe", "pipe", "pipe"] }),
      );
    const asked = await callTool(scout, "add_question", { question: "Budget?", priority: "high", blocking: true });
    const { question_id } = asked?.body ?? {};
    const first = begin();
    await until(() => did().length === 1);
    first.kill("SIGKILL");
    await until(() => first.signalCode !== null);
    const second = begin();
    await until(() => did().length === 2);
    await restarts.kill();
    await restarts.start();
    await callUntilKnown(ana, "submit_answers", { answers: { [question_id]: "20k" } }, "once");
    await until(() => second.exitCode !== null);
    expect(did()).toEqual([
      ...["paused immediate", "paused immediate", "resumed 20k"],
      ...["market", "competitor", "finance", "done"],
    ]);
    const third = begin();
    await until(() => third.exitCode !== null);
    expect(did().slice(7)).toEqual(["done"]);
    expect(await resumedOf(chief, 1)).toHaveLength(1);
  });

  test("QUESTION-8 and QUESTION-10: killed anywhere while it takes an answer, a hub resumes once and delivers it once", async () => {
    await using restarts = await Restarts.on(database);
    await restarts.start();
    const [scout, ana] = [await restarts.token("agent", "scout"), await restarts.token("human", "ana")];
    const chief = await restarts.token("orchestrator", "chief");
    await restarts.hub.kill("SIGTERM");
    const asked: string[] = [];
    for (const point of [...POINTS, "due.before_commit@question.relay"]) {
      // Not at once: the hub itself writes when it starts.
      await restarts.start({ PARLEY_FAILPOINT: `${point}:kill${point.startsWith("due") ? "" : ":6"}` });
      for (let n = 0, alive = true; alive && n < 50; n++) {
        const name = `${point} ${n}`;
        const steps: [Parameters<typeof callTool>[0], string, () => object][] = [
          [scout, "add_question", () => ({ question: name, priority: "high", blocking: true })],
          [chief, "workflow_check", () => ({ phase: name })],
          [ana, "submit_answers", () => ({ answers: { [asked.at(-1) ?? ""]: name } })],
        ];
        for (const [who, tool, args] of steps) {
          let reply = await callTool(who, tool, args(), `${name} ${tool}`);
          if (!reply) {
            expect([name, await restarts.ended()]).toEqual([name, KILLED]);
            await restarts.start();
            alive = false;
            reply = await callUntilKnown(who, tool, args(), `${name} ${tool}`);
          }
          expect([name, tool, reply.status]).toEqual([name, tool, 200]);
          if (tool === "add_question") asked.push(reply.body.question_id);
          if (tool === "submit_answers") expect([name, reply.body.resumed]).toEqual([name, true]);
        }
        // Where an answer was on its way it is killed without anybody asking.
        if (alive && point.startsWith("due")) {
          expect(await restarts.ended()).toEqual(KILLED);
          await restarts.start();
          alive = false;
        }
      }
      await restarts.hub.kill("SIGTERM");
    }
    await restarts.start();
    const inbox = async (): Promise<string[]> =>
      (await callUntilKnown(scout, "mail_inbox", { limit: 100 })).body.messages.map(
        ({ subject }: { subject: string }) => subject,
      );
    await until(async () => (await inbox()).length >= asked.length);
    const { body } = await callUntilKnown(ana, "get_answered_questions", {});
    const questions: { question: string; answer: string }[] = body.questions;
    expect(questions.map(({ answer }) => answer)).toEqual(questions.map(({ question }) => question));
    expect((await inbox()).sort()).toEqual(questions.map(({ question }) => `Answer: ${question}`).sort());
    expect(questions).toHaveLength(asked.length);
    const resumed = await resumedOf(chief, asked.length);
    expect([resumed.length, new Set(resumed).size]).toEqual([asked.length, asked.length]);
  });
});
