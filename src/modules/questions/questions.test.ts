import { beforeEach, expect, test } from "vitest";
import { EventStream } from "../../testing/event-stream.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

const START = Date.parse("2027-03-01T08:00:00Z");

eachDatabase((open, database) => {
  let hub: TestHub;
  let [ana, ben, scout, mason, chief]: string[] = [];
  beforeEach(async () => {
    hub = await open({ now: START });
    [ana, ben] = [await hub.token("human", "ana"), await hub.token("human", "ben")];
    [scout, mason] = [await hub.token("agent", "scout"), await hub.token("agent", "mason")];
    chief = await hub.token("orchestrator", "chief");
  });

  const call = async (token: string | undefined, tool: string, args: object = {}) =>
    (await hub.call(token, tool, args)).body;
  const userAnswers = async (): Promise<string> =>
    (await call(scout, "read_section", { section_name: "user_answers" })).content;
  const ask = async (question: string, more: object = {}, token = scout): Promise<string> =>
    (await call(token, "add_question", { question, ...more })).question_id;
  const answer = (answers: object, token = ana) => call(token, "submit_answers", { answers });
  const all = async () => (await call(ana, "get_all_questions")).questions;
  const mails = async (token = scout) => (await call(token, "mail_inbox", {})).messages;

  test("a question has all properties of the seed, and is answered by a person", async () => {
    const options = ["below 10k", "10k to 50k"];
    const id = await ask("Budget range?", { context: "To rank offers.", priority: "high", blocking: true, options });
    const asked = { id, question: "Budget range?", context: "To rank offers.", asked_by: "scout", priority: "high" };
    const open = { ...asked, blocking: true, options, answer: null, answered_at: null, state: "open" };
    expect(await call(scout, "get_pending_questions")).toMatchObject({ questions: [open], count: 1 });
    expect(await answer({ [id]: "20k" })).toEqual({
      answered: [id],
      not_found: [],
      already_answered: [],
      withdrawn: [],
      remaining: 0,
      resumed: false,
      checkpoint_id: null,
    });
    const answered_at = new Date(START).toISOString();
    const answered = { answer: "20k", answered_at, answered_by: "ana", handed_in_by: null, state: "answered" };
    expect((await call(scout, "get_answered_questions")).questions).toMatchObject([{ ...asked, ...answered }]);
    expect(await call(scout, "get_pending_questions")).toEqual({ questions: [], count: 0 });
    expect(await all()).toMatchObject([{ ...asked, ...answered }]);
  });

  test("QUESTION-1: defaults medium, not blocking; bogus priority rejected; only options where they are all there is", async () => {
    const id = await ask("Location?");
    expect(await all()).toMatchObject([
      { id, priority: "medium", blocking: false, options: null, options_only: false },
    ]);
    expect(await call(scout, "add_question", { question: "?", priority: "urgent" })).toMatchObject({
      code: "INVALID_ARGUMENT",
    });
    const closed = await ask("Which?", { options: ["Prague", "Brno"], options_only: true });
    const refused = await answer([
      { question_id: id, answer: "Anywhere" },
      { question_id: closed, answer: "Ostrava" },
    ]);
    expect(refused).toMatchObject({ code: "INVALID_ARGUMENT", error: expect.stringContaining(closed) });
    expect((await all()).map(({ state }: { state: string }) => state)).toEqual(["open", "open"]);
    expect(await answer({ [closed]: "Brno" })).toMatchObject({ answered: [closed], remaining: 1 });
  });

  test("QUESTION-3: questions_pending carries the checkpoint and its questions, and the checkpoint survives a restart", async () => {
    using stream = await EventStream.open(hub.url, { token: ana ?? "", topics: "questions" });
    const id = await ask("Budget?", { priority: "high", blocking: true });
    const checked = await call(chief, "workflow_check", { phase: "market" });
    expect(checked).toMatchObject({ pause: true, reason: "immediate", questions: [{ id, question: "Budget?" }] });
    const { checkpoint_id } = checked;
    await expect
      .poll(() => stream.events.find(({ event }) => event === "questions_pending")?.data)
      .toMatchObject({ checkpoint_id, questions: [{ id, question: "Budget?", asked_by: "scout" }] });
    await hub.stop();
    hub = await open({ same: hub });
    expect(await call(chief, "workflow_check", { phase: "market" })).toMatchObject({ pause: true, checkpoint_id });
    const waiting = { state: "waiting", answers: [] };
    expect(await call(chief, "checkpoint_wait", { checkpoint_id, wait_seconds: 0 })).toEqual(waiting);
    expect(await answer({ [id]: "20k" })).toMatchObject({ resumed: true, checkpoint_id, remaining: 0 });
    expect(await call(chief, "checkpoint_wait", { checkpoint_id })).toMatchObject({
      state: "resumed",
      answers: [{ question_id: id, answer: "20k", answered_by: "ana" }],
    });
    expect(await call(chief, "workflow_check", { phase: "market" })).toMatchObject({ pause: false });
  });

  test("QUESTION-6: the first answer wins, unknown ids are not found, as a list and as a map", async () => {
    const [first, second] = [await ask("One?"), await ask("Two?")];
    expect(await answer([{ question_id: first, answer: "a" }])).toMatchObject({ answered: [first], remaining: 1 });
    expect(await answer({ [first]: "b", [second]: "c", "4711": "d", q1: "e" }, ben)).toMatchObject({
      answered: [second],
      already_answered: [first],
      not_found: expect.arrayContaining(["4711", "q1"]),
    });
    expect(await all()).toMatchObject([
      { id: second, answer: "c", answered_by: "ben" },
      { id: first, answer: "a", answered_by: "ana" },
    ]);
    const third = await ask("Three?");
    const second_hub = database === "postgres" ? await open({ same: hub }) : hub;
    const tries = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        (n % 2 ? second_hub : hub).call(n % 3 ? ana : ben, "submit_answers", { answers: { [third]: `answer ${n}` } }),
      ),
    );
    expect(tries.flatMap(({ body }) => body.answered)).toEqual([third]);
    expect(tries.flatMap(({ body }) => body.already_answered)).toHaveLength(9);
  });

  test("QUESTION-7: user_answers is readable after answering", async () => {
    expect(await userAnswers()).toBe("");
    const id = await ask("Budget?");
    await answer({ [id]: "20k" });
    const text = await userAnswers();
    expect(text).toContain("Budget?");
    expect(text).toContain("20k");
    expect(text).toContain("ana");
  });

  test("QUESTION-10: asking returns at once, and the answer comes back by itself, exactly once", async () => {
    const id = await ask("Budget?");
    expect(await mails()).toEqual([]);
    await answer({ [id]: "20k" });
    await hub.tick(0);
    await hub.tick(60_000);
    const [mail, ...more] = await mails();
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ from: "ana", subject: "Answer: Budget?" });
    expect((await call(scout, "mail_read", { id: mail.id })).body).toMatch(/^20k\n/);
    expect(mason).toBeDefined();
  });
});
