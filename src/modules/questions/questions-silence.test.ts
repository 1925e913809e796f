import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

const START = Date.parse("2027-03-01T08:00:00Z");
const BLOCKS = { priority: "high", blocking: true };

eachDatabase((open) => {
  let hub: TestHub;
  let [ana, ben, scout, chief]: string[] = [];
  const begin = async (question_defaults: string[] = []): Promise<void> => {
    hub = await open({ now: START, config: { question_defaults } });
    [ana, ben] = [await hub.token("human", "ana"), await hub.token("human", "ben")];
    scout = await hub.token("agent", "scout");
    chief = await hub.token("orchestrator", "chief");
  };
  beforeEach(() => begin());

  const call = async (token: string | undefined, tool: string, args: object = {}) =>
    (await hub.call(token, tool, args)).body;
  const userAnswers = async (): Promise<string> =>
    (await call(scout, "read_section", { section_name: "user_answers" })).content;
  const ask = async (question: string, more: object = {}): Promise<string> =>
    (await call(scout, "add_question", { question, ...more })).question_id;
  const answer = (id: string, text: string, token = ana) => call(token, "submit_answers", { answers: { [id]: text } });
  const asked = async (id: string) =>
    (await call(ana, "get_all_questions")).questions.find((one: { id: string }) => one.id === id);
  const pause = async (): Promise<string> => (await call(chief, "workflow_check")).checkpoint_id;
  const wait = (checkpoint_id: string) => call(chief, "checkpoint_wait", { checkpoint_id, wait_seconds: 0 });

  test("QUESTION-9: silence is no answer: a question that times out gives no_response, and the workflow goes on", async () => {
    const id = await ask("Budget?", { ...BLOCKS, default: "10k", expires_seconds: 60 });
    const checkpoint_id = await pause();
    await hub.tick(59_000);
    expect(await wait(checkpoint_id)).toEqual({ state: "waiting", answers: [] });
    await hub.tick(2000);
    expect(await wait(checkpoint_id)).toMatchObject({
      state: "resumed",
      answers: [{ question_id: id, state: "no_response", answer: null, via: null }],
    });
    expect(await userAnswers()).toBe("");
    expect((await call(ana, "need_list")).needs).toEqual([]);
  });

  test("QUESTION-9: with a default, where the space allows it, it goes on with that, marked", async () => {
    await begin(["main"]);
    const id = await ask("Budget?", { ...BLOCKS, default: "10k", expires_seconds: 60 });
    const without = await ask("City?", { ...BLOCKS, expires_seconds: 60 });
    const checkpoint_id = await pause();
    await hub.tick(61_000);
    const { state, answers } = await wait(checkpoint_id);
    expect(state).toBe("resumed");
    expect(answers).toMatchObject([
      { question_id: id, state: "no_response", answer: "10k", answered_by: null, via: "default" },
      { question_id: without, state: "no_response", answer: null },
    ]);
    expect(await userAnswers()).toContain("the default");
  });

  test("QUESTION-9: a late answer is still delivered, once", async () => {
    await begin(["*"]);
    const id = await ask("Budget?", { default: "10k", expires_seconds: 60 });
    await hub.tick(61_000);
    expect(await answer(id, "20k")).toMatchObject({ answered: [id] });
    expect(await answer(id, "30k", ben)).toMatchObject({ answered: [], already_answered: [id] });
    expect(await asked(id)).toMatchObject({ state: "answered", answer: "20k", answered_by: "ana", late: true });
    await hub.tick(1000);
    const { messages } = await call(scout, "mail_inbox");
    expect(messages).toMatchObject([{ from: "ana", subject: "Answer: Budget?" }]);
  });

  test("QUESTION-9: a question that is taken back lets the workflow go on, and takes no answer", async () => {
    const [first, second] = [await ask("One?", BLOCKS), await ask("Two?", BLOCKS)];
    const checkpoint_id = await pause();
    expect(await call(chief, "question_withdraw", { question_id: first })).toMatchObject({
      code: "QUESTION_NOT_FOUND",
    });
    expect(await call(scout, "question_withdraw", { question_id: first })).toEqual({
      question_id: first,
      state: "withdrawn",
    });
    expect(await wait(checkpoint_id)).toMatchObject({ state: "waiting" });
    expect(await answer(second, "2")).toMatchObject({ resumed: true });
    expect(await wait(checkpoint_id)).toMatchObject({ state: "resumed" });
    expect(await answer(first, "1")).toMatchObject({ answered: [], withdrawn: [first] });
    const third = await ask("Three?", BLOCKS);
    const next = await pause();
    await call(scout, "question_withdraw", { question_id: third });
    expect(await wait(next)).toMatchObject({ state: "withdrawn", answers: [{ state: "withdrawn", answer: null }] });
    expect(await call(chief, "workflow_check")).toMatchObject({ pause: false });
  });

  test("QUESTION-11: free text is always possible beside options, unless the asker says they are all there is", async () => {
    const options = ["Prague", "Brno"];
    const free = await ask("City?", { options });
    expect(await answer(free, "Ostrava, or Plzeň")).toMatchObject({ answered: [free] });
    const closed = await ask("City?", { options, options_only: true });
    expect(await answer(closed, "Ostrava")).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await asked(closed)).toMatchObject({ state: "open", answer: null });
    for (const bad of [{ options_only: true }, { options, options_only: true, default: "x" }, { options: ["a", "a"] }])
      expect(await call(scout, "add_question", { question: "?", ...bad })).toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  test("QUESTION-12: one whose asker has ended is shown as such, and can still be answered or dismissed", async () => {
    const mason = await hub.token("agent", "mason");
    const of = async (question: string) => (await call(mason, "add_question", { question, ...BLOCKS })).question_id;
    const [first, second] = [await of("One?"), await of("Two?")];
    const checkpoint_id = await pause();
    expect(await asked(first)).toMatchObject({ asker_ended: false });
    await call(hub.admin, "agent_delete", { name: "mason" });
    expect(await asked(first)).toMatchObject({ asked_by: "mason", asker_ended: true, state: "open" });
    expect(await call(ana, "question_dismiss", { question_id: second })).toMatchObject({ state: "dismissed" });
    expect(await answer(first, "1")).toMatchObject({ answered: [first], resumed: true });
    await hub.tick(1000);
    expect(await userAnswers()).toContain("One?");
    expect(await wait(checkpoint_id)).toMatchObject({ state: "resumed", answers: [{ answer: "1" }, { answer: null }] });
  });
});
