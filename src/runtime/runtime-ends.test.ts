import { expect, test } from "vitest";
import { HubError } from "../client/index.ts";
import { eachDatabase } from "../testing/hub.ts";
import { call, Model, say, YIELD } from "../testing/model.ts";
import { openAgentHub, portOf, Running } from "../testing/running-agent.ts";
import { TimelineClient } from "../testing/timeline-socket.ts";
import type { HubPort } from "./port.ts";
import type { Toolset } from "./toolset.ts";

eachDatabase((open) => {
  const openHub = () => openAgentHub(open);

  test("RUN-15 and LOOP-3: an abort ends the sample, what was called has a result that says so, and the next message works", async () => {
    const { hub, ana, tell, start, items, ends } = await openHub();
    const model = new Model();
    await using _ = await start(model);
    const abort = () => hub.call(ana, "agent_abort", { agent: "scout" });
    await tell("think");
    await expect.poll(() => model.requests.length).toBe(1);
    await abort();
    await expect.poll(ends).toEqual(["aborted"]);
    await tell("wait for mail");
    await expect.poll(() => model.requests.length).toBe(2);
    model.answers(YIELD, call("mail_wait", { wait_seconds: 50 }));
    await expect.poll(async () => (await items()).at(-1)).toMatchObject({ kind: "Tool", outcome: null });
    await abort();
    await expect.poll(ends).toEqual(["aborted", "aborted"]);
    expect((await items()).find(({ kind }: { kind: string }) => kind === "Tool")).toMatchObject({
      tool: "mail_wait",
      outcome: "aborted",
      output: expect.stringContaining("Aborted by ana"),
    });
    // The yield of a turn that was aborted is none of the next.
    await tell("again");
    await expect.poll(() => model.heard).toEqual(["think", "wait for mail", "again"]);
    model.answers(say("Here."));
    await expect.poll(() => model.requests.length).toBe(4);
    model.answers(YIELD);
    await expect.poll(ends).toEqual(["aborted", "aborted", "finished"]);
  });

  test("CRASH-4: after a restart the model is told the earlier conversation, and the beginning of it is the same to the letter", async () => {
    const { tell, start, ends } = await openHub();
    const [first, second] = [new Model(), new Model()];
    {
      await using running = await start(first);
      await tell("one");
      await expect.poll(() => first.requests.length).toBe(1);
      await tell("while you think");
      first.answers(call("mail_inbox"), say("I looked."));
      await expect.poll(() => first.requests.length).toBe(2);
      first.answers(YIELD);
      await expect.poll(ends).toEqual(["finished"]);
      expect(await running.stop()).toBe("stopped");
    }
    await using _ = await start(second);
    await tell("two");
    await expect.poll(() => second.requests.length).toBe(1);
    const [before, after] = [first.requests[1]?.messages ?? [], second.requests[0]?.messages ?? []];
    expect(JSON.stringify(after.slice(0, before.length))).toBe(JSON.stringify(before));
    expect(after.slice(before.length)).toMatchObject([
      { role: "assistant", calls: [{ tool: "loop_yield_turn" }] },
      { role: "tool", tool: "loop_yield_turn" },
      { role: "user", content: "two" },
    ]);
  });

  test("CRASH-3: a runtime that is stopped in the middle of a turn leaves it interrupted, and nothing of it is run again", async () => {
    const { tell, start, items, ends, status } = await openHub();
    const model = new Model();
    const running = await start(model);
    await tell("go");
    model.answers(call("mail_wait", { wait_seconds: 50 }));
    await expect.poll(async () => (await items()).at(-1)).toMatchObject({ kind: "Tool", outcome: null });
    await running.stop();
    expect(await ends()).toEqual(["interrupted"]);
    expect(await status()).toMatchObject({ lifecycle: "stopped" });
    const next = new Model();
    await using _ = await start(next);
    await tell("and now?");
    await expect.poll(() => next.requests.length).toBe(1);
    expect(next.requests[0]?.messages).toMatchObject([
      { role: "user", content: "go" },
      { role: "assistant", calls: [{ tool: "mail_wait" }] },
      { role: "tool", is_error: true, output: expect.stringContaining("may or may not") },
      { role: "user", content: "and now?" },
    ]);
  });

  test("a second runtime of an agent takes over at once, and the first one ends", async () => {
    const { tell, start, ends } = await openHub();
    const [first, second] = [new Model(), new Model()];
    await using old = await start(first);
    await tell("go");
    await expect.poll(() => first.requests.length).toBe(1);
    await using _ = await start(second);
    expect(await old.ended).toBe("superseded");
    // No model has answered it: the new one is asked.
    await expect.poll(() => second.heard).toEqual(["go"]);
    second.answers(YIELD);
    await expect.poll(ends).toEqual(["interrupted", "finished"]);
  });

  test("one whose place is taken while its servers are being mounted ends as one that runs does", async () => {
    const { start } = await openHub();
    const [mounting, mounted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const around = async (tools: Toolset): Promise<Toolset> => {
      mounting.resolve();
      await mounted.promise;
      return tools;
    };
    await using old = await start(new Model(), { around });
    await mounting.promise;
    const ready = Promise.withResolvers<void>();
    await using _ = await start(new Model(), { ready: ready.resolve });
    await ready.promise;
    mounted.resolve();
    expect(await old.ended).toBe("superseded");
  });

  test("one whose agent is deleted while its servers are being mounted ends with that, and its process does not", async () => {
    const { hub, scout, start } = await openHub();
    const [mounting, mounted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const around = async (tools: Toolset): Promise<Toolset> => {
      mounting.resolve();
      await mounted.promise;
      return tools;
    };
    const own = await portOf(hub, scout, "in process");
    const told = Promise.withResolvers<void>();
    const call: HubPort["call"] = (name, args, options) =>
      own.call(name, args, options).catch((error: unknown) => {
        told.resolve();
        throw error;
      });
    // What nobody hears of ends the process that the runtime is part of, such as the hub.
    const unheard: unknown[] = [];
    const note = (error: unknown): void => void unheard.push(error);
    process.on("unhandledRejection", note);
    await using _ = { [Symbol.asyncDispose]: async () => void process.off("unhandledRejection", note) };
    await using running = await start(new Model(), { port: { ...own, call }, around });
    await mounting.promise;
    await hub.call(hub.admin, "agent_delete", { name: "scout" });
    await told.promise;
    await new Promise((resolve) => setImmediate(resolve));
    mounted.resolve();
    await expect(running.ended).rejects.toMatchObject({ name: "HubError" });
    expect(unheard).toEqual([]);
  });

  test("a paused agent begins no turn and asks its model nothing more, until it is resumed", async () => {
    const { hub, ana, tell, start, ends } = await openHub();
    const model = new Model();
    await using _ = await start(model);
    const act = (tool: string) => hub.call(ana, tool, { agent: "scout" });
    await tell("go");
    await expect.poll(() => model.requests.length).toBe(1);
    await act("agent_pause");
    model.answers(say("Well."));
    await expect.poll(async () => (await hub.call(ana, "chat_read_since", {})).body.messages.length).toBe(2);
    await tell("more");
    await act("agent_resume");
    await expect.poll(() => model.heard).toEqual(["go", "more"]);
    expect(model.requests).toHaveLength(2);
    model.answers(YIELD);
    await expect.poll(ends).toEqual(["finished"]);
    await act("agent_pause");
    await tell("even more");
    await act("agent_resume");
    await expect.poll(() => model.heard).toEqual(["go", "more", "even more"]);
  });

  test("LOOP-2: after a yield nothing but a message or an explicit resume begins a turn", async () => {
    const { hub, ana, tell, start, ends } = await openHub();
    await hub.token("human", "ben");
    const model = new Model();
    await using _ = await start(model);
    await tell("go");
    model.answers(YIELD);
    await expect.poll(ends).toEqual(["finished"]);
    // Mail for it, its own words, what others say to others: all that is no reason.
    await hub.call(ana, "mail_send", { to: ["scout"], subject: "s", body: "b" });
    await hub.token("agent", "mason");
    await hub.call(ana, "chat_human_post", { content: "not for scout", agent: "mason" });
    await hub.call(ana, "agent_resume", { agent: "scout" });
    await expect.poll(() => model.requests.length).toBe(2);
    expect(model.heard).toEqual(["go", expect.stringContaining("ana has you go on")]);
    model.answers(YIELD);
    await expect.poll(ends).toEqual(["finished", "finished"]);
  });

  test("RUN-12: while the hub is away the runtime waits, and goes on without doubles when it is back", async () => {
    const { hub, scout, ana, tell, ends } = await openHub();
    const real = await portOf(hub, scout, "over HTTP");
    let away = false;
    let asked = 0;
    // The network between the two, which is what is faked: some is lost on the way there, some on the way back.
    const lost = async <T>(ask: () => Promise<T>): Promise<T> => {
      if (!away) return ask();
      asked += 1;
      if (asked % 2 === 0) await ask();
      throw new HubError("HUB_UNREACHABLE", "The hub cannot be reached.");
    };
    const port: HubPort = {
      call: (name, args, options) => lost(() => real.call(name, args, options)),
      tools: (facets) => lost(() => real.tools(facets)),
    };
    const model = new Model();
    await using _ = new Running({ port, driver: model });
    await tell("go");
    await expect.poll(() => model.requests.length).toBe(1);
    away = true;
    model.answers(say("Once."));
    await tell("are you there?");
    await expect.poll(() => model.requests.length).toBe(1);
    away = false;
    await expect.poll(() => model.heard).toEqual(["go", "are you there?"]);
    model.answers(YIELD);
    await expect.poll(ends).toEqual(["finished"]);
    const { body } = await hub.call(ana, "chat_read_since", {});
    expect(body.messages.map(({ content }: { content: string }) => content).toSorted()).toEqual(
      ["go", "Once.", "are you there?"].toSorted(),
    );
  });

  test("TIMELINE-8: what the agent says is on an open page at once, without a look at the inbox", async () => {
    const { hub, ana, tell, start } = await openHub();
    const model = new Model();
    await using _ = await start(model);
    using page = await TimelineClient.open(hub, ana);
    await tell("go");
    model.answers(say("Here I am."));
    await expect.poll(() => page.shown().at(-1)).toMatchObject({ kind: "AssistantMarkdown", content: "Here I am." });
    model.answers(YIELD);
    await expect
      .poll(() => page.of("run_status").map(({ status }) => status))
      .toEqual(["starting", "running", "finished"]);
  });
});
