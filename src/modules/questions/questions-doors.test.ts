import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { CLIENTS } from "../../testing/mcp.ts";

const START = Date.parse("2027-03-01T08:00:00Z");

eachDatabase((open) => {
  let hub: TestHub;
  let [ana, ben, scout, chief]: string[] = [];
  beforeEach(async () => {
    hub = await open({ now: START });
    [ana, ben] = [await hub.token("human", "ana"), await hub.token("human", "ben")];
    scout = await hub.token("agent", "scout");
    chief = await hub.token("orchestrator", "chief");
  });

  const call = async (token: string | undefined, tool: string, args: object = {}, headers = {}) =>
    (await hub.call(token, tool, args, headers)).body;
  const ask = async (question: string, more: object = {}, token = scout): Promise<string> =>
    (await call(token, "add_question", { question, ...more })).question_id;
  const answer = (id: string, text: string, token = ana) => call(token, "submit_answers", { answers: { [id]: text } });
  const asked = async (id: string) =>
    (await call(ana, "get_all_questions")).questions.find((one: { id: string }) => one.id === id);
  const mails = async (token: string | undefined) => (await call(token, "mail_inbox")).messages;

  test("who asks cannot answer; an orchestrator hands in what a person said, and it is recorded that it did", async () => {
    const id = await ask("Budget?");
    expect(await answer(id, "20k", scout)).toMatchObject({ code: "FORBIDDEN" });
    expect(await answer(id, "20k", chief)).toMatchObject({ answered: [id] });
    expect(await asked(id)).toMatchObject({ answer: "20k", answered_by: null, handed_in_by: "chief" });
    // A workflow may have one credential, with which it asks and hands in.
    const own = await ask("And mine?", {}, chief);
    expect(await answer(own, "yes", chief)).toMatchObject({ answered: [own] });
    expect(await asked(own)).toMatchObject({ asked_by: "chief", answered_by: null, handed_in_by: "chief" });
    expect(await answer(own, "no")).toMatchObject({ answered: [], already_answered: [own] });
    await hub.token("agent", "mason");
    const as = { "x-caller-agent": "mason" };
    const { question_id: acted } = await call(chief, "add_question", { question: "As mason?" }, as);
    expect(await asked(acted)).toMatchObject({ asked_by: "mason" });
    expect(await call(chief, "submit_answers", { answers: { [acted]: "yes" } }, as)).toMatchObject({
      answered: [acted],
    });
    expect(await asked(acted)).toMatchObject({ answered_by: null, handed_in_by: "chief" });
  });

  test("a question needs people like everything else that does, and is settled by no other tool", async () => {
    const id = await ask("Which?", { options: ["a", "b"], context: "Why.", priority: "high", blocking: true });
    const { needs, count } = await call(ana, "need_list");
    expect(count).toBe(1);
    expect(needs).toMatchObject([
      {
        id,
        kind: "question",
        title: "Which?",
        text: "Why.",
        from: "scout",
        tool: "submit_answers",
        choices: ["a", "b"],
      },
    ]);
    expect(needs).toMatchObject([{ priority: "high", blocking: true, options_only: false }]);
    const settled = (await hub.settle(ana, { id, choice: "a" })).body;
    expect(settled).toMatchObject({ code: "INVALID_ARGUMENT", error: expect.stringContaining("submit_answers") });
    expect(await call(scout, "notice_withdraw", { id })).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await call(ana, "need_later", { id, until: "2h" })).toMatchObject({ id });
    expect((await call(ana, "need_list")).count).toBe(0);
    expect((await call(ben, "need_list")).count).toBe(1);
    expect(await call(scout, "notice_wait", { id, wait_seconds: 0 })).toMatchObject({
      state: "open",
      pending_until: new Date(START + 7_200_000).toISOString(),
    });
    await answer(id, "b", ben);
    expect((await call(ben, "need_list")).needs).toEqual([]);
    expect((await call(ana, "notice_list")).notices).toMatchObject([{ id, state: "answered", settled_by: "ben" }]);
  });

  test("U40: a question that takes its options alone says so where it waits", async () => {
    const id = await ask("Which?", { options: ["a", "b"], options_only: true });
    expect((await call(ana, "need_list")).needs).toMatchObject([{ id, choices: ["a", "b"], options_only: true }]);
  });

  test("an agent whose work waits for an answer is seen to wait for input", async () => {
    const phase = async () =>
      (await call(ana, "agent_list")).agents.find((one: { name: string }) => one.name === "scout").run_phase;
    await ask("Nothing waits for it?");
    expect(await phase()).toBe("idle");
    const id = await ask("Which?", { blocking: true });
    expect(await phase()).toBe("waiting_input");
    await answer(id, "a");
    expect(await phase()).toBe("idle");
  });

  test("one agent has at most twenty open questions, and is told so", async () => {
    const ids = [];
    for (let n = 0; n < 20; n++) ids.push(await ask(`${n}?`));
    expect(await call(scout, "add_question", { question: "One more?" })).toMatchObject({
      code: "TOO_MANY_QUESTIONS",
      limit: 20,
    });
    expect(await call(chief, "add_question", { question: "Mine?" })).toHaveProperty("question_id");
    await answer(ids[0] ?? "", "yes");
    expect(await ask("One more?")).toBeDefined();
    expect((await call(scout, "get_pending_questions", { limit: 5 })).count).toBe(21);
  });

  test("as at /mcp/workspace, the workspace's server has the tools of the seed for questions", async () => {
    for (const server of ["workspace", "scratchpad", "questions"]) {
      const body = JSON.stringify({ server, tool: "add_question", arguments: { question: `${server}?` } });
      const { body: answer } = await hub.request("POST", "/api/mcp/call", { token: scout, body });
      expect(answer).toMatchObject({ ok: true, result: { state: "open" } });
    }
    const body = JSON.stringify({ server: "workspace", tool: "question_wait", arguments: { question_id: "1" } });
    expect((await hub.request("POST", "/api/mcp/call", { token: scout, body })).body.code).toBe("UNKNOWN_TOOL");
  });

  test("what work waits for comes first, then what matters most", async () => {
    for (const more of [{ priority: "low" }, { priority: "high" }, { priority: "blocking" }, {}])
      await ask(JSON.stringify(more), more);
    const { questions } = await call(scout, "get_pending_questions");
    expect(
      questions.map(({ priority, blocking }: { priority: string; blocking: boolean }) => [priority, blocking]),
    ).toEqual([
      ["medium", true],
      ["high", false],
      ["medium", false],
      ["low", false],
    ]);
  });

  test("bad input is refused in a sentence, and changes nothing", async () => {
    const bad = [
      { question: "" },
      { question: " \n" },
      { question: "x".repeat(2001) },
      { question: "?", context: "x".repeat(4001) },
      { question: "?", priority: "urgent" },
      { question: "?", options: [] },
      { question: "?", expires_seconds: 0 },
      { question: "?", session_id: "main" },
    ];
    for (const args of bad) expect(await call(scout, "add_question", args)).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await call(ana, "question_dismiss", { question_id: "4711" })).toMatchObject({ code: "QUESTION_NOT_FOUND" });
    expect(await call(scout, "question_wait", { question_id: "4711" })).toMatchObject({ code: "QUESTION_NOT_FOUND" });
    expect(await call(chief, "checkpoint_wait", { checkpoint_id: "4711" })).toMatchObject({
      code: "CHECKPOINT_NOT_FOUND",
    });
    expect((await call(ana, "get_all_questions")).questions).toEqual([]);
  });

  test("each bad input to questions is refused with its code, over MCP with isError, and nothing changes", async () => {
    const [closed, over] = [await ask("Which?", { options: ["a", "b"], options_only: true }), await ask("Over?")];
    await answer(over, "yes");
    const before = (await call(ana, "get_all_questions")).questions;
    const bad: [tool: string, args: Record<string, unknown>, code: string][] = [
      ["submit_answers", { answers: { [closed]: "c" } }, "INVALID_ARGUMENT"],
      ["submit_answers", { answers: { [closed]: " " } }, "INVALID_ARGUMENT"],
      ["submit_answers", { answers: {} }, "INVALID_ARGUMENT"],
      ["checkpoint_answer", { answers: { [over]: "no" } }, "CONFLICT"],
      ["checkpoint_answer", { answers: { "4711": "no" } }, "CONFLICT"],
      ["checkpoint_answer", { answers: { [closed]: "a" }, checkpoint_id: "4711" }, "CHECKPOINT_NOT_FOUND"],
      ["question_dismiss", { question_id: "4711" }, "QUESTION_NOT_FOUND"],
      ["question_wait", { question_id: "4711" }, "QUESTION_NOT_FOUND"],
    ];
    for (const connect of Object.values(CLIENTS)) {
      await using client = await connect({ url: hub.url, token: ana ?? "", space: "main" });
      for (const [tool, args, code] of bad) {
        const { isError, content } = await client.call(tool, args);
        expect([tool, isError, JSON.parse(content[0]?.text ?? "{}").code]).toEqual([tool, true, code]);
      }
      const { structuredContent } = await client.call("submit_answers", { answers: { [over]: "no", "4711": "no" } });
      expect(structuredContent).toMatchObject({ answered: [], already_answered: [over], not_found: ["4711"] });
    }
    expect((await call(ana, "get_all_questions")).questions).toEqual(before);
  });

  test("a reply to the mail that asks is the answer, and the asker has it once", async () => {
    const id = await ask("Which city?", { blocking: true, options: ["Prague", "Brno"] });
    expect(await mails(scout)).toEqual([]);
    const [mail] = await mails(ana);
    expect(mail).toMatchObject({ from: "scout", subject: "Which city?" });
    const { body } = await call(ana, "mail_read", { id: mail.id });
    expect(body).toContain("Prague · Brno");
    await call(ana, "mail_reply", { id: mail.id, body: "Ostrava\n" });
    expect(await asked(id)).toMatchObject({ answer: "Ostrava", answered_by: "ana", via: "mail", state: "answered" });
    await hub.tick(1000);
    expect(await mails(scout)).toMatchObject([{ from: "ana", subject: "Re: Which city?" }]);
    const [copy] = (await mails(ben)).filter(({ from }: { from: string }) => from === "scout");
    await call(ben, "mail_reply", { id: copy.id, body: "Plzeň" });
    expect(await asked(id)).toMatchObject({ answer: "Ostrava" });
    const told = (await mails(ben)).find(({ preview }: { preview: string }) => preview.includes("before you did"));
    expect(told).toMatchObject({ from: "ana", preview: expect.stringContaining("Ostrava") });
  });

  test("a reply that is none of the options answers nothing, and its writer is told", async () => {
    const id = await ask("Which?", { blocking: true, options: ["a", "b"], options_only: true });
    const [mail] = await mails(ana);
    await call(ana, "mail_reply", { id: mail.id, body: "c" });
    expect(await asked(id)).toMatchObject({ state: "open" });
    expect((await mails(ana))[0]).toMatchObject({ from: "scout", preview: expect.stringContaining("one of: a · b") });
    await call(ana, "mail_reply", { id: mail.id, body: "b" });
    expect(await asked(id)).toMatchObject({ state: "answered", answer: "b" });
  });

  test("whatever is asked and answered elsewhere also comes into the thread of its mail", async () => {
    const id = await ask("Which city?", { blocking: true });
    await answer(id, "Brno");
    await hub.tick(1000);
    const [told] = await mails(scout);
    const { participants } = await call(scout, "mail_thread", { id: told.id });
    expect(participants).toEqual(expect.arrayContaining(["ana", "ben", "scout"]));
  });

  test("why an answer came is known: the question led to it", async () => {
    const id = await ask("Budget?");
    await answer(id, "20k");
    await hub.tick(1000);
    const [mail] = await mails(scout);
    const { steps } = await call(ana, "event_why", { id: mail.id });
    expect(steps).toMatchObject([{ kind: "mail" }, { id, kind: "question", by: "scout", text: "Budget?" }]);
  });

  for (const [kind, connect] of Object.entries(CLIENTS))
    test(`${kind} follows the questions of a space, and waits for an answer`, async () => {
      await using client = await connect({ url: hub.url, token: scout ?? "", facet: "questions", space: "main" });
      await client.subscribe("parley://workspace/questions");
      const { structuredContent } = await client.call("add_question", { question: "Budget?" });
      const question_id = String(structuredContent?.question_id);
      await expect.poll(() => client.updates.length).toBeGreaterThan(0);
      const waiting = client.call("question_wait", { question_id });
      await answer(question_id, "20k");
      expect((await waiting).structuredContent).toMatchObject({ state: "answered", answer: "20k" });
      const { body } = await client.read("parley://workspace/questions");
      expect(body.questions).toMatchObject([{ id: question_id, answer: "20k" }]);
    });
});
