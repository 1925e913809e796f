import { type Client, followChat, HubError, type Message } from "../../client/index.ts";
import { demoAnswer } from "./answers.ts";

/** How far back it looks for what waits for an answer. */
const RECENT = 100;
const BEAT_MS = 60_000;

interface Answering {
  signal: AbortSignal;
  ready: () => void;
  beat_ms?: number;
}

/**
 * Answers what people say, each message once: the answer's key is made of the message's id, so neither a lost
 * connection nor a second start doubles it. What was said while it was away it answers when it is back.
 * Resolves when the signal aborts, and throws when the hub does not let it in any more.
 */
export async function answerPeople(client: Client, { signal, ready, beat_ms = BEAT_MS }: Answering) {
  const ended = Promise.withResolvers<void>();
  const fail = (error: unknown): void => {
    if (!(error instanceof HubError && error.passing)) ended.reject(error);
  };
  // It may have nothing to answer for hours, and is there all the same.
  const beat = setInterval(() => client.call("agent_heartbeat", {}).catch(fail), beat_ms);
  const stop = followChat(client, {
    newest: RECENT,
    messages: async (messages, { reset }) => {
      try {
        if (reset) await client.call("agent_report", { lifecycle: "ready", run_phase: "idle" });
        ready();
        for (const message of reset ? unanswered(messages) : messages)
          if (message.author === "user" && !signal.aborted) await answer(client, message);
      } catch (error) {
        ended.reject(error);
      }
    },
    error: (error) => {
      if (error) fail(error);
    },
  });
  signal.addEventListener("abort", () => ended.resolve(), { once: true });
  try {
    await ended.promise;
  } finally {
    stop();
    clearInterval(beat);
  }
  await leave(client);
}

async function answer(client: Client, { id, content }: Message): Promise<void> {
  const patience_ms = Number.POSITIVE_INFINITY;
  await client.call("agent_report", { run_phase: "sampling" }, { key: `demo-sampling-${id}`, patience_ms });
  const said = { content: demoAnswer({ content, now: client.now() }) };
  try {
    await client.call("chat_assistant_post", said, { key: `demo-${id}`, patience_ms });
  } catch (error) {
    // Answered before, and `time` says something else by now.
    if (!(error instanceof HubError && error.code === "IDEMPOTENCY_CONFLICT")) throw error;
  }
  await client.call("agent_report", { run_phase: "idle" }, { key: `demo-idle-${id}`, patience_ms });
}

/** What came after the last thing it said itself. */
const unanswered = (messages: Message[]): Message[] =>
  messages.slice(messages.findLastIndex(({ author }) => author === "assistant") + 1);

async function leave(client: Client): Promise<void> {
  try {
    await client.call("agent_report", { lifecycle: "stopped", run_phase: "idle" });
  } catch (error) {
    // The hub may have stopped before it.
    if (!(error instanceof HubError)) throw error;
  }
}
