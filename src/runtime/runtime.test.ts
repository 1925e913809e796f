import { expect, test } from "vitest";
import { eachDatabase } from "../testing/hub.ts";
import { call, Model, say, textsOf, YIELD } from "../testing/model.ts";
import { openAgentHub, portOf, WAYS } from "../testing/running-agent.ts";
import type { HubPort } from "./port.ts";
import type { Changed, Toolset } from "./toolset.ts";

/** Other servers beside the hub's tools, which tell of these changes. */
const telling =
  (changes: Changed[]) =>
  (tools: Toolset): Toolset => ({
    list: () => tools.list(),
    call: (call, context) => tools.call(call, context),
    mounts: () => tools.mounts(),
    originOf: (tool) => tools.originOf(tool),
    takeChanges: () => changes.splice(0),
  });

eachDatabase((open) => {
  const openHub = (way: (typeof WAYS)[number] = "in process") => openAgentHub(open, way);

  for (const way of WAYS)
    test(`RUN-9 and RUN-11, ${way}: what waits begins one turn with each message by itself, and the agent's own words are no input`, async () => {
      const { hub, scout, tell, start, items, ends, status } = await openHub(way);
      await tell("one");
      await hub.call(scout, "chat_assistant_post", { content: "an old answer of mine" });
      await tell("two");
      const model = new Model();
      await using _ = await start(model);
      await expect.poll(() => model.requests.length).toBe(1);
      expect(model.requests[0]?.messages).toEqual([
        { role: "user", content: "one" },
        { role: "user", content: "two" },
      ]);
      expect(await status()).toMatchObject({ lifecycle: "ready", run_phase: "sampling", driver: "test" });
      model.answers(say("Hello, both."));
      await expect.poll(() => model.requests.length).toBe(2);
      expect(textsOf(model.requests[1]?.messages ?? [])).toEqual(["one", "two"]);
      model.answers(YIELD);
      await expect.poll(ends).toEqual(["finished"]);
      await expect.poll(status).toMatchObject({ run_phase: "idle" });
      expect((await items()).map(({ kind }: { kind: string }) => kind)).toEqual([
        ...["UserMessage", "AssistantMarkdown", "UserMessage", "AssistantMarkdown", "EndTurn"],
      ]);
      await tell("three");
      await expect.poll(() => model.heard).toEqual(["one", "two", "three"]);
    });

  test("RUN-8 and RUN-10: what is said during a turn is there before its next answer, in order, and there is never a second turn", async () => {
    const { tell, start, ends } = await openHub();
    const model = new Model();
    await using _ = await start(model);
    await tell("go");
    await expect.poll(() => model.requests.length).toBe(1);
    await tell("first");
    await tell("second");
    model.answers(call("mail_inbox"));
    await expect.poll(() => model.requests.length).toBe(2);
    expect(model.requests[1]?.messages).toMatchObject([
      { role: "user", content: "go" },
      { role: "assistant", calls: [{ tool: "mail_inbox" }] },
      { role: "tool", tool: "mail_inbox", is_error: false },
      { role: "user", content: "first" },
      { role: "user", content: "second" },
    ]);
    model.answers(YIELD);
    await expect.poll(ends).toEqual(["finished"]);
    expect(model.requests).toHaveLength(2);
  });

  test("LOOP-4: with a yield what else was called is finished first, and what came meanwhile begins a new turn", async () => {
    const { hub, tell, allow, start, ends } = await openHub();
    await hub.token("human", "ben");
    await allow("mail_send");
    const model = new Model();
    await using _ = await start(model);
    await tell("go");
    await expect.poll(() => model.requests.length).toBe(1);
    await tell("meanwhile");
    model.answers(YIELD, call("mail_send", { to: ["ben"], subject: "s", body: "b" }), call("mail_inbox"));
    await expect.poll(() => model.requests.length).toBe(2);
    expect(await ends()).toEqual(["finished"]);
    const told = model.requests[1]?.messages ?? [];
    expect(told.filter(({ role }) => role === "tool")).toMatchObject([
      { is_error: false },
      { is_error: false },
      { tool: "loop_yield_turn", is_error: false },
    ]);
    expect(told.at(-1)).toEqual({ role: "user", content: "meanwhile" });
    expect(model.requests[1]?.turn_from).toBe(told.length - 1);
    model.answers(YIELD);
    await expect.poll(ends).toEqual(["finished", "finished"]);
  });

  test("RUN-16: plain text is shown to nobody; the model is told so three times, then the turn fails", async () => {
    const { hub, ana, tell, start, items, ends } = await openHub();
    const model = new Model();
    await using _ = await start(model);
    await tell("hi");
    for (let n = 0; n < 4; n += 1) model.answer({ text: `Hello ${n}!`, calls: [] });
    await expect.poll(ends).toEqual(["failed"]);
    expect(model.requests).toHaveLength(4);
    expect(model.requests[1]?.messages.slice(1)).toMatchObject([
      { role: "assistant", text: "Hello 0!", calls: [] },
      { role: "user", content: expect.stringContaining("chat_assistant_post") },
    ]);
    expect(await items()).toMatchObject([
      { kind: "UserMessage" },
      { kind: "EndTurn", error: expect.stringContaining("plain text") },
    ]);
    expect((await hub.call(ana, "chat_read_since", {})).body.messages).toHaveLength(1);
    // It is told anew in each turn, and one that uses a tool in between is not counted on.
    await tell("once more");
    model.answer({ text: "Oh.", calls: [] });
    model.answers(say("Hello."));
    for (let n = 0; n < 3; n += 1) model.answer({ text: "Oh.", calls: [] });
    model.answers(YIELD);
    await expect.poll(ends).toEqual(["failed", "finished"]);
  });

  test("RUN-17: what a tool has against it goes back to the model, and the turn goes on", async () => {
    const { tell, allow, start, ends } = await openHub();
    await allow("mail_send");
    const model = new Model();
    await using _ = await start(model);
    await tell("go");
    model.answers(
      call("mail_send", { to: ["nobody-there"], subject: "s", body: "b" }),
      call("constructor"),
      { tool: "mail_inbox", arguments: "{not json" },
      { tool: "mail_inbox", arguments: "[1]" },
      call("chat_human_post", { content: "as ana" }),
    );
    await expect.poll(() => model.requests.length).toBe(2);
    const results = model.requests[1]?.messages.filter(({ role }) => role === "tool");
    expect(results).toHaveLength(5);
    const codes = results?.map((result) => ("output" in result ? JSON.parse(result.output).code : ""));
    expect(codes?.toSorted()).toEqual([
      ...["INVALID_JSON", "INVALID_JSON", "RECIPIENT_NOT_FOUND", "UNKNOWN_TOOL", "UNKNOWN_TOOL"],
    ]);
    expect(results?.every((result) => "is_error" in result && result.is_error)).toBe(true);
    model.answers(YIELD);
    await expect.poll(ends).toEqual(["finished"]);
  });

  test("a model that fails ends the turn, and people see why; the next message begins another", async () => {
    const { tell, start, items, ends } = await openHub();
    const model = new Model();
    await using _ = await start(model);
    await tell("go");
    model.answer(new Error("The endpoint answers 500."));
    await expect.poll(ends).toEqual(["failed"]);
    expect((await items()).at(-1)).toMatchObject({ kind: "EndTurn", error: "The endpoint answers 500." });
    await tell("again");
    await expect.poll(() => model.heard).toEqual(["go", "again"]);
  });

  test("RUN-14: what other servers tell is one message before the next answer, every URI once, without the inbox", async () => {
    const { tell, start } = await openHub();
    const changes: Changed[] = [];
    const model = new Model();
    await using _ = await start(model, { around: telling(changes) });
    const files = { server: "files", uri: "file:///a" };
    changes.push(files, { server: "git", uri: "git://main" }, files, { server: "files", uri: "file:///b" });
    changes.push({ server: "chat", uri: "ui://chat/scout/inbox" });
    await tell("go");
    await expect.poll(() => model.requests.length).toBe(1);
    expect(model.heard).toEqual([
      "go",
      "<system notification>\nThese resources have changed:\nfiles: file:///a, file:///b\ngit: git://main\n</system notification>",
    ]);
    model.answers(call("mail_inbox"));
    await expect.poll(() => model.requests.length).toBe(2);
    expect(model.heard).toHaveLength(2);
  });

  test("RUN-8: what is said while a change of another server is noted is heard before the model answers", async () => {
    const { hub, scout, tell, start } = await openHub();
    const port = await portOf(hub, scout, "in process");
    const userTexts = async () => {
      const { events } = (await hub.call(scout, "runtime_log", {})).body;
      return events.filter(({ type }: { type: string }) => type === "UserText").length;
    };
    const slow: HubPort = {
      ...port,
      call: async (tool, args, options) => {
        if (tool === "runtime_record" && JSON.stringify(args).includes(`"Notification"`)) {
          await tell("meanwhile");
          await expect.poll(userTexts).toBe(2);
        }
        return port.call(tool, args, options);
      },
    };
    const changes: Changed[] = [{ server: "files", uri: "file:///a" }];
    const model = new Model();
    await using _ = await start(model, { around: telling(changes), port: slow });
    await tell("go");
    await expect.poll(() => model.requests.length).toBe(1);
    expect(model.heard).toEqual(["go", "meanwhile", expect.stringContaining("file:///a")]);
  });

  test("how the mounted servers are is told by one report at a time, and the last one says how they are", async () => {
    const { hub, scout, start, status } = await openHub();
    const port = await portOf(hub, scout, "in process");
    let [under_way, most] = [0, 0];
    const counting: HubPort = {
      ...port,
      call: async (tool, args, options) => {
        if (tool !== "runtime_report") return port.call(tool, args, options);
        under_way += 1;
        most = Math.max(most, under_way);
        return port.call(tool, args, options).finally(() => {
          under_way -= 1;
        });
      },
    };
    let error = "none";
    let changed = (): void => {};
    const around = (tools: Toolset, tell: () => void): Toolset => {
      changed = tell;
      return {
        list: () => tools.list(),
        call: (call, context) => tools.call(call, context),
        mounts: () => ({ ...tools.mounts(), files: { state: "failed", error } }),
        originOf: (tool) => tools.originOf(tool),
        takeChanges: () => [],
      };
    };
    const ready = Promise.withResolvers<void>();
    await using _ = await start(new Model(), { port: counting, around, ready: ready.resolve });
    await ready.promise;
    for (error of ["one", "two", "three"]) changed();
    await expect.poll(async () => (await status()).mounts.files).toMatchObject({ error: "three" });
    expect(most).toBe(1);
  });

  test("RUN-13 and MOUNT-7: the model has the hub's tools under their own names, never those of people, which it cannot call either, and hears its inbox without any", async () => {
    const { hub, ana, tell, start, ends } = await openHub();
    const model = new Model();
    await using _ = await start(model, { facets: ["mail", "tasks", "chat-human", "admin", "approvals"] });
    await tell("go");
    await expect.poll(() => model.requests.length).toBe(1);
    const names = model.requests[0]?.tools.map(({ name }) => name) ?? [];
    expect(names).toEqual(
      expect.arrayContaining(["chat_assistant_post", "chat_read_since", "loop_yield_turn", "mail_send", "task_create"]),
    );
    expect(names.filter((name) => /human|^agent_|^token_|^runtime_|approval|^ui_/.test(name))).toEqual([]);
    expect(JSON.stringify(model.requests[0]?.tools)).not.toContain("idempotency_key");
    const forbidden = ["chat_human_post", "approval_decide", "policy_set", "token_create", "agent_tools"];
    model.answers(...forbidden.map((tool) => call(tool, { content: "I am ana.", agent: "scout", on: true })));
    await expect.poll(() => model.requests.length).toBe(2);
    const told = model.requests[1]?.messages.filter(({ role }) => role === "tool") ?? [];
    expect(told.map((message) => JSON.stringify(message).includes("UNKNOWN_TOOL"))).toEqual(forbidden.map(() => true));
    model.answers(YIELD);
    await expect.poll(ends).toEqual(["finished"]);
    expect((await hub.call(ana, "chat_read_since", {})).body.messages).toHaveLength(1);
  });

  test("V1-1 and V1-2: with the tools of before one message is one item and the turn ends, by either name", async () => {
    const { hub, ana, tell, start, items, ends } = await openHub();
    const model = new Model();
    await using _ = await start(model, { compat: "v1" });
    await tell("Deploy now?");
    await expect.poll(() => model.requests.length).toBe(1);
    expect(model.requests[0]?.messages).toEqual([{ role: "user", content: "Deploy now?" }]);
    const old = model.requests[0]?.tools.filter(({ name }) => name.startsWith("ui_"));
    expect(old?.map(({ name, description }) => [name, description.startsWith("Deprecated")])).toEqual([
      ["ui_send_message", true],
      ["ui_end_turn", true],
    ]);
    model.answers(call("ui_send_message", { content: "By the old name." }), say("By the new one."));
    model.answers(call("ui_end_turn"));
    await expect.poll(ends).toEqual(["finished"]);
    const kinds = (await items()).map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(["UserMessage", "AssistantMarkdown", "AssistantMarkdown", "EndTurn"]);
    expect((await hub.call(ana, "chat_read_since", {})).body.messages).toHaveLength(3);
    await tell("Thanks.");
    await expect.poll(() => model.heard).toEqual(["Deploy now?", "Thanks."]);
  });

  test("V1-3: without the switch there are no tools of before", async () => {
    const { tell, start, ends } = await openHub();
    const model = new Model();
    await using _ = await start(model);
    await tell("go");
    model.answers(call("ui_send_message", { content: "hi" }), call("ui_end_turn"));
    await expect.poll(() => model.requests.length).toBe(2);
    const results = model.requests[1]?.messages.filter((message) => message.role === "tool" && message.is_error);
    expect(results).toHaveLength(2);
    model.answers(YIELD);
    await expect.poll(ends).toEqual(["finished"]);
  });
});
