/** How long questions are kept. */
import { expect, test } from "vitest";
import { statement } from "../../db/statement.ts";
import { eachDatabase } from "../../testing/hub.ts";
import { Desk } from "../../testing/workspace.ts";

const START = Date.parse("2027-03-01T09:00:00Z");
const DAY = 24 * 3600 * 1000;

const kept = statement<Record<string, never>, { questions: number; notices: number; checkpoints: number }>(
  `select (select count(*) from questions) as questions, (select count(*) from notices where kind = 'question') as notices,
   (select count(*) from checkpoints) as checkpoints`,
);

const told = statement<Record<string, never>, { n: number }>(
  "select count(*) as n from deliveries where topic = 'questions'",
);

eachDatabase((open) => {
  test("that a trigger was told of its answer is forgotten with the question", async () => {
    const hub = await open({ now: START, config: { question_days: 7 } });
    const github = await Desk.of(hub, "trigger", "github");
    const ana = await Desk.of(hub, "human", "ana");
    const noted = async () => Number((await hub.hub.database.get(told, {}))?.n);
    const { question_id } = await github.done("add_question", { question: "Merge it?" });
    await ana.done("submit_answers", { answers: { [question_id]: "yes" } });
    await github.done("question_wait", { question_id });
    await expect.poll(noted).toBe(1);
    await hub.tick(8 * DAY);
    expect(await noted()).toBe(0);
  });

  test("a question is forgotten with its notice and its checkpoint once it has been over for so many days, and not before", async () => {
    const hub = await open({ now: START, config: { question_days: 7 } });
    const scout = await Desk.of(hub, "agent", "scout");
    const ana = await Desk.of(hub, "human", "ana");
    const lead = await Desk.of(hub, "orchestrator", "lead");
    const ask = async (question: string, more: object = {}): Promise<string> =>
      (await scout.done("add_question", { question, ...more })).question_id;
    const texts = async () =>
      (await ana.done("get_all_questions")).questions.map(({ question }: { question: string }) => question).sort();
    const rows = async () => {
      const { questions, notices, checkpoints } = (await hub.hub.database.get(kept, {})) ?? {};
      return [questions, notices, checkpoints].map(Number);
    };

    const early = await ask("early?", { blocking: true, priority: "high" });
    await lead.done("workflow_check");
    const late = await ask("answered late?");
    await ask("nobody answers?");
    await ask("over by itself?", { expires_seconds: 60 });
    await ana.done("submit_answers", { answers: { [early]: "yes" } });
    await hub.tick(6 * DAY);
    await ana.done("submit_answers", { answers: { [late]: "yes" } });
    expect([await texts(), await rows()]).toEqual([
      ["answered late?", "early?", "nobody answers?", "over by itself?"],
      [4, 4, 1],
    ]);
    await hub.tick(2 * DAY);
    expect([await texts(), await rows()]).toEqual([
      ["answered late?", "nobody answers?"],
      [2, 2, 0],
    ]);
    await hub.tick(6 * DAY);
    expect([await texts(), await rows()]).toEqual([["nobody answers?"], [1, 1, 0]]);
    await hub.tick(60 * DAY);
    expect(await texts()).toEqual(["nobody answers?"]);
  });
});
