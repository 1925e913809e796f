import { beforeEach, expect, test } from "vitest";
import { EventStream } from "../../testing/event-stream.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { until } from "../../testing/process.ts";

const START = Date.parse("2027-03-01T08:00:00Z");
const BLOCKS = { priority: "high", blocking: true };

eachDatabase((open, database) => {
  let hub: TestHub;
  let [ana, ben, scout, chief]: string[] = [];
  beforeEach(async () => {
    hub = await open({ now: START });
    [ana, ben] = [await hub.token("human", "ana"), await hub.token("human", "ben")];
    scout = await hub.token("agent", "scout");
    chief = await hub.token("orchestrator", "chief");
  });

  const call = async (token: string | undefined, tool: string, args: object = {}) =>
    (await hub.call(token, tool, args)).body;
  const ask = async (question: string, more: object = {}): Promise<string> =>
    (await call(scout, "add_question", { question, ...more })).question_id;
  const check = (args: object = {}) => call(chief, "workflow_check", args);
  const wait = (checkpoint_id: string, wait_seconds = 0) =>
    call(chief, "checkpoint_wait", { checkpoint_id, wait_seconds });
  const post = (body: object, token = ana, on = hub) =>
    on.request("POST", "/sessions/main/answers", { token, body: JSON.stringify(body) });
  const resumed = (stream: EventStream) => stream.events.filter(({ data }) => data.type === "checkpoint.resumed");

  test("QUESTION-2: the four rules of a pause, as an orchestrator meets them", async () => {
    expect(await check({ phase: "market" })).toMatchObject({ pause: false, questions: [], phase: "market" });
    const first = await ask("One?");
    expect(await check({ phase: "market" })).toMatchObject({ pause: false, questions: [{ id: first }] });
    const boundary = await check({ phase: "finance" });
    expect(boundary).toMatchObject({ pause: true, reason: "phase_boundary", questions: [{ id: first }] });
    await call(ana, "submit_answers", { answers: { [first]: "1" } });
    for (const question of ["Two?", "Three?", "Four?"]) await ask(question);
    expect(await check({ phase: "finance" })).toMatchObject({ pause: false });
    await ask("Five?");
    const full = await check();
    expect(full).toMatchObject({ pause: true, reason: "threshold" });
    expect(full.questions).toHaveLength(4);
    const answers = Object.fromEntries(full.questions.map(({ id }: { id: string }) => [id, "yes"]));
    expect(await call(ana, "submit_answers", { answers })).toMatchObject({ resumed: true, remaining: 0 });
    expect(await check()).toMatchObject({ pause: false });
    const explicit = await check({ output: "I need human input to continue: which city?" });
    expect(explicit).toMatchObject({ pause: true, reason: "explicit_request" });
    const [own] = explicit.questions;
    expect(own).toMatchObject({ asked_by: "chief", blocking: true, context: expect.stringContaining("which city?") });
    expect((await post({ answers: { [own.id]: "Brno" } }, chief)).body).toMatchObject({ resumed: true });
  });

  test("a workflow that is paused is told the same again and again, and only once that it goes on", async () => {
    const id = await ask("Budget?", BLOCKS);
    const checks = await Promise.all(Array.from({ length: 5 }, () => check({ phase: "market" })));
    expect(new Set(checks.map(({ checkpoint_id }) => checkpoint_id)).size).toBe(1);
    await ask("Later?", BLOCKS);
    expect((await check({ phase: "finance" })).questions).toMatchObject([{ id }]);
  });

  test("QUESTION-4: answers before the wait begins are not lost", async () => {
    const id = await ask("Budget?", BLOCKS);
    const { checkpoint_id } = await check();
    await call(ana, "submit_answers", { answers: { [id]: "20k" } });
    expect(await wait(checkpoint_id, 30)).toMatchObject({
      state: "resumed",
      answers: [{ question_id: id, question: "Budget?", answer: "20k", state: "answered", answered_by: "ana" }],
    });
  });

  test("QUESTION-5: it goes on only when every blocking question is answered; until then it waits on", async () => {
    const [first, second] = [await ask("One?", BLOCKS), await ask("Two?", { blocking: true })];
    const third = await ask("Three?");
    const { checkpoint_id, questions } = await check({ phase: "finance" });
    expect(questions.map(({ id }: { id: string }) => id)).toEqual([first, second]);
    expect(questions).toMatchObject([first, second].map(() => ({ waiting: { checkpoint_id, phase: "finance" } })));
    const held = wait(checkpoint_id, 60);
    await until(() => hub.hub.streams.count(({ kind }) => kind === "wait") === 1);
    const partial = await call(ana, "submit_answers", { answers: { [first]: "1" } });
    expect(partial).toMatchObject({ resumed: false, remaining: 2, checkpoint_id });
    expect(await wait(checkpoint_id)).toMatchObject({ state: "waiting", answers: [{ question_id: first }] });
    const waiting = { checkpoint_id, phase: "finance" };
    expect((await call(ana, "get_pending_questions")).questions).toMatchObject([
      { id: second, waiting },
      { id: third, waiting: null },
    ]);
    expect(await call(ben, "submit_answers", { answers: { [second]: "2" } })).toMatchObject({ resumed: true });
    expect(await held).toMatchObject({ state: "resumed", answers: [{ answer: "1" }, { answer: "2" }] });
    expect((await call(chief, "get_pending_questions")).questions).toMatchObject([{ id: third, waiting: null }]);
  });

  test("QUESTION-8: the same checkpoint resumes once under two concurrent POSTs", async () => {
    const second = database === "postgres" ? await open({ same: hub }) : hub;
    using stream = await EventStream.open(hub.url, { token: ana ?? "", topics: "questions" });
    for (let round = 1; round <= 4; round++) {
      const ids = [await ask("One?", BLOCKS), await ask("Two?", BLOCKS)];
      const { checkpoint_id } = await check();
      const posts = await Promise.all([
        post({ answers: { [ids[0] ?? ""]: "a", [ids[1] ?? ""]: "b" }, checkpoint_id }),
        post({ answers: { [ids[0] ?? ""]: "c", [ids[1] ?? ""]: "d" }, checkpoint_id }, ben, second),
        post({ answers: { [ids[1] ?? ""]: "e" } }, chief, second),
      ]);
      expect(posts.filter(({ body }) => body.resumed)).toHaveLength(1);
      expect(posts.flatMap(({ body }) => body.answered).sort()).toEqual(ids.sort());
      await until(() => resumed(stream).length >= round);
      expect(await wait(checkpoint_id)).toMatchObject({ state: "resumed" });
    }
    expect(resumed(stream)).toHaveLength(4);
  });

  test("WSHTTP-3: the answers of a session are taken, refused, not found or too late", async () => {
    const id = await ask("Budget?", { ...BLOCKS, options: ["10k", "20k"], options_only: true });
    const { checkpoint_id } = await check();
    const at = (space: string, body: object) =>
      hub.request("POST", `/sessions/${space}/answers`, { token: hub.admin, body: JSON.stringify(body) });
    for (const bad of [{}, { answers: {} }, { answers: [] }, { answers: { [id]: "" } }, { answers: { [id]: "30k" } }])
      expect(await at("main", bad)).toMatchObject({ status: 400, body: { code: "INVALID_ARGUMENT" } });
    expect(await at("sess_nowhere", { answers: { [id]: "10k" } })).toMatchObject({
      status: 404,
      body: { code: "SESSION_NOT_FOUND" },
    });
    expect(await at("main", { answers: { [id]: "10k" }, checkpoint_id: "4711" })).toMatchObject({
      status: 404,
      body: { code: "CHECKPOINT_NOT_FOUND" },
    });
    expect(await at("main", { answers: [{ question_id: id, answer: "10k" }], checkpoint_id })).toEqual({
      status: 200,
      headers: expect.anything(),
      body: {
        ...{ answered: [id], not_found: [], already_answered: [], withdrawn: [] },
        ...{ remaining: 0, resumed: true, checkpoint_id },
      },
    });
    expect(await at("main", { answers: { [id]: "20k", q1: "x" } })).toMatchObject({
      status: 409,
      body: { code: "CONFLICT", answered: [], already_answered: [id], not_found: ["q1"], resumed: false },
    });
    expect((await post({ answers: { [id]: "10k" } }, scout)).body.code).toBe("FORBIDDEN");
  });

  test("WSHTTP-4: a stream that breaks off stops no workflow, and whoever comes back is told what it missed", async () => {
    const stream = await EventStream.open(hub.url, { token: ana ?? "", topics: "questions" });
    const id = await ask("Budget?", BLOCKS);
    await stream.until(1);
    stream[Symbol.dispose]();
    const { checkpoint_id } = await check();
    using again = await EventStream.open(hub.url, {
      token: ana ?? "",
      topics: "questions",
      last_event_id: stream.last_id,
    });
    await expect
      .poll(() => again.events.find(({ event }) => event === "questions_pending")?.data)
      .toMatchObject({ checkpoint_id, questions: [{ id }] });
    expect((await post({ answers: { [id]: "20k" } })).body).toMatchObject({ resumed: true });
  });
});
