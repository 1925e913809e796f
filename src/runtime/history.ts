/**
 * What a model is told, as a pure function of the agent's log: so it is the same after a restart, and the beginning of it
 * never changes. The results of what was called follow the calls, since no model takes it otherwise; what somebody said
 * while the model thought comes behind its answer, as the model has met it.
 */
import type { LogEvent } from "../modules/timeline/index.ts";
import type { ModelMessage, SampleRequest } from "./drivers/driver.ts";

const REDIRECT =
  "<system notification>\nNobody was shown that. People see only what you say with chat_assistant_post; end your turn with loop_yield_turn.\n</system notification>";

type Messages = Pick<SampleRequest, "messages" | "turn_from">;

/** What no answer has seen yet, with the id that it has in the log. */
export interface News {
  id: string;
  content: string;
}
type Answering = Extract<LogEvent, { type: "ModelText" | "ToolCall" }>;

export function historyOf(log: readonly LogEvent[], turn_id: string): Messages {
  const { messages, turn_from } = toldOf(log, turn_id);
  return { messages, turn_from };
}

/** The same, and which messages at its end are the news. */
export function toldOf(log: readonly LogEvent[], turn_id: string): Messages & { news: News[] } {
  const telling = new Telling(turn_id);
  for (const event of log.toSorted((a, b) => Number(a.id) - Number(b.id))) telling.add(event);
  return telling.end();
}

class Telling {
  readonly #turn_id: string;
  readonly #messages: ModelMessage[] = [];
  #turn_from = 0;
  /** What was called and has no result yet, by id. */
  readonly #open = new Map<string, string>();
  /** What has a result already, by id, and which tool that was. */
  readonly #answered = new Map<string, string>();
  /** What came of calls whose turn was over by then: the next turn tells it, and no answer before that has seen it. */
  #late: string[] = [];
  /** What no answer has seen yet, by its own id. */
  #unseen: { id: number; content: string }[] = [];
  #sample: string | undefined;

  constructor(turn_id: string) {
    this.#turn_id = turn_id;
  }

  add(event: LogEvent): void {
    if (event.type === "UserText") this.#say(event.id, event.content);
    else if (event.type === "Resumed") this.#say(event.id, notification(`${event.by} has you go on.`));
    else if (event.type === "Notification") this.#say(event.id, notification(event.text));
    else if (event.type === "ModelText" || event.type === "ToolCall") this.#answer(event);
    else if (event.type === "ToolOutput") this.#result(event);
    else if (event.type === "TurnStarted") for (const text of this.#late.splice(0)) this.#say(event.id, text);
  }

  end(): Messages & { news: News[] } {
    const news = this.#unseen.map(({ id, content }) => ({ id: String(id), content }));
    this.#settle(Number.POSITIVE_INFINITY);
    return { messages: this.#messages, turn_from: this.#turn_from, news };
  }

  #say(id: string, content: string): void {
    this.#unseen.push({ id: Number(id), content });
  }

  #answer(event: Answering): void {
    const sample = `${event.turn_id}.${event.sample}`;
    if (sample !== this.#sample) {
      this.#settle(event.seen_id === null ? 0 : Number(event.seen_id));
      this.#messages.push({ role: "assistant", text: null, calls: [] });
      this.#sample = sample;
    }
    const message = this.#messages.at(-1);
    if (message?.role !== "assistant") return;
    if (event.type === "ModelText") message.text = event.text;
    else {
      const { call_id, tool, arguments: args } = event;
      message.calls.push({ call_id, tool, arguments: args });
      this.#open.set(call_id, tool);
    }
    if (event.turn_id !== this.#turn_id) this.#turn_from = this.#messages.length;
    if (event.type === "ModelText" && event.redirected) this.#say(event.id, REDIRECT);
  }

  #result({ turn_id, call_id, outcome, output, ...late }: Extract<LogEvent, { type: "ToolOutput" }>): void {
    const tool = this.#open.get(call_id);
    if (tool !== undefined) {
      this.#open.delete(call_id);
      this.#answered.set(call_id, tool);
      this.#messages.push({ role: "tool", call_id, tool, output, is_error: outcome !== "done" });
      this.#sample = undefined;
      if (turn_id !== this.#turn_id) this.#turn_from = this.#messages.length;
      return;
    }
    // By the name that came with it where the call itself is too long ago to be told.
    const called = late.tool ?? this.#answered.get(call_id);
    if (called !== undefined) this.#late.push(notification(`What came of ${called} (${call_id}) since:\n${output}`));
  }

  /** Before an answer stands what the model had been given, and no call without a result. */
  #settle(seen: number): void {
    for (const [call_id, tool] of this.#open)
      this.#messages.push({ role: "tool", call_id, tool, output: "There is no result yet.", is_error: true });
    for (const [call_id, tool] of this.#open) this.#answered.set(call_id, tool);
    this.#open.clear();
    const told = this.#unseen.filter(({ id }) => id <= seen);
    this.#messages.push(...told.map(({ content }): ModelMessage => ({ role: "user", content })));
    this.#unseen = this.#unseen.filter(({ id }) => id > seen);
  }
}

/** Whatever stands in it: a server may write the words that end one. */
const notification = (text: string): string =>
  `<system notification>\n${text.replaceAll(/<(?=\/?system notification>)/g, "&lt;")}\n</system notification>`;
