/** An agent that is begun from a place in another's timeline: what its model is told, and what it may do. */
import { expect, test } from "vitest";
import { eachDatabase } from "../testing/hub.ts";
import { call, say, YIELD } from "../testing/model.ts";
import { type Asked, ModelServer, openaiEvents, streams } from "../testing/model-server.ts";
import { openAgentHub, portOf, Running } from "../testing/running-agent.ts";
import { openai } from "./drivers/openai.ts";

const PATIENCE = {
  tries: 1,
  pace: { first_ms: 1, most_ms: 5 },
  most_wait_ms: 1000,
  silent_ms: 60_000,
  whole_ms: 60_000,
};

eachDatabase((open) => {
  const openHub = async () => {
    const opened = await openAgentHub(open);
    const { hub, ana, start } = opened;
    const server = await ModelServer.open();
    const driver = openai({
      model: "m",
      base_url: server.url,
      api_key: undefined,
      price: undefined,
      patience: PATIENCE,
    });
    const answers = (...calls: { tool: string; arguments: string }[]) => {
      server.replies(streams(openaiEvents({ calls, input_tokens: 1, output_tokens: 1 })));
    };
    const fork = async (at_id: string, name: string) => {
      const { body } = await hub.call(ana, "agent_fork", { agent: "scout", at_id, name });
      return new Running({ port: await portOf(hub, body.token, "in process"), driver });
    };
    const tellTo = (agent: string, content: string) => hub.call(ana, "chat_human_post", { agent, content });
    const done = async (agent: string) =>
      (await hub.call(ana, "timeline_read", { agent, limit: 500 })).body.items.filter(
        ({ kind }: { kind: string }) => kind === "EndTurn",
      ).length;
    return { ...opened, server, answers, fork, tellTo, done, scout: await start(driver) };
  };

  /** All of a request up to and with the last of these messages, as it went over the wire. */
  const until = ({ text, body }: Asked, messages: number): string => {
    const told = JSON.stringify(body.messages.slice(0, messages)).slice(0, -1);
    return text.slice(0, text.indexOf(told) + told.length);
  };

  test("the first request of an agent that was begun from another is the other's, byte for byte, up to what is new", async () => {
    const { tell, items, server, answers, fork, tellTo, done, scout } = await openHub();
    await using _ = scout;
    answers(call("mail_inbox"), call("mail_inbox", { limit: 1 }));
    answers(say("Nothing new."), YIELD);
    await tell("Look at the mail.");
    await expect.poll(() => done("scout"), { timeout: 30_000 }).toBe(1);
    answers(YIELD);
    await tell("And now?");
    await expect.poll(() => done("scout"), { timeout: 30_000 }).toBe(2);
    const all: { id: string; kind: string }[] = await items();
    const [, behindCalls, behindTurn] = server.asked;

    const ids = (kind: string) => all.filter((item) => item.kind === kind).map(({ id }) => id);
    for (const [at, name, asked, shared] of [
      [ids("Tool")[0], "from-call", behindCalls, behindCalls?.body.messages.length],
      [ids("AssistantMarkdown")[0], "from-words", behindTurn, behindTurn?.body.messages.length - 1],
      [ids("EndTurn")[0], "from-end", behindTurn, behindTurn?.body.messages.length - 1],
      [ids("UserMessage")[1], "from-message", behindTurn, behindTurn?.body.messages.length],
    ] as const) {
      await using _fork = await fork(at ?? "", name);
      answers(YIELD);
      await tellTo(name, "Otherwise.");
      await expect.poll(() => done(name), { timeout: 30_000 }).toBe(1);
      const first = server.asked.at(-1);
      if (!first || !asked) throw new Error("its model was not asked");
      expect(first.body.messages).toHaveLength(shared + 1);
      expect(first.body.messages.at(-1)).toEqual({ role: "user", content: "Otherwise." });
      expect(until(first, shared)).toBe(until(asked, shared));
      const { messages: _told, ...rest } = first.body;
      const { messages: __told, ...before } = asked.body;
      expect(JSON.stringify(rest)).toBe(JSON.stringify(before));
    }
  });

  test("its calls are answered with a sentence until a person lets it use tools; it can speak all the same", async () => {
    const { hub, ana, tell, items, server, answers, fork, tellTo, done, scout } = await openHub();
    await using _ = scout;
    answers(YIELD);
    await tell("Hello.");
    await expect.poll(() => done("scout"), { timeout: 30_000 }).toBe(1);
    const [first] = await items();
    await using _fork = await fork(first.id, "scout-2");
    answers(call("mail_inbox"), say("I cannot look."));
    answers(YIELD);
    await tellTo("scout-2", "Look at the mail.");
    await expect.poll(() => done("scout-2"), { timeout: 30_000 }).toBe(1);
    const outputs = (): string[] =>
      server.asked
        .at(-1)
        ?.body.messages.flatMap(({ role, content }: Record<string, string>) => (role === "tool" ? [content] : []));
    expect(outputs().some((output) => output.includes("TOOLS_OFF"))).toBe(true);
    const shown = (await hub.call(ana, "timeline_read", { agent: "scout-2" })).body.items;
    expect(shown).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: "Tool", tool: "mail_inbox", outcome: "denied" }),
        expect.objectContaining({ kind: "AssistantMarkdown", content: "I cannot look." }),
      ]),
    );
    await hub.call(ana, "agent_tools", { agent: "scout-2", on: true });
    answers(call("mail_inbox"));
    answers(YIELD);
    await tellTo("scout-2", "Now you can.");
    await expect.poll(() => done("scout-2"), { timeout: 30_000 }).toBe(2);
    expect(JSON.parse(outputs().at(-1) ?? "")).not.toHaveProperty("code");
    // It has ended with the yield; what it cost is noted after that.
    const turn = async () => (await hub.call(ana, "agent_status", { agent: "scout-2" })).body.turn;
    await expect.poll(turn).toMatchObject({ input_tokens: 2, output_tokens: 2 });
  });
});
