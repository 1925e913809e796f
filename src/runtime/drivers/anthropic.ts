/** Anthropic's Messages API, streaming or not. */
import { z } from "zod";
import type { Answer, Driver, ModelMessage, SampleRequest } from "./driver.ts";
import { ask, broken, EndpointError } from "./endpoint.ts";
import type { ModelOptions } from "./openai.ts";
import { argumentsIn, costOf, namedTool, type Price, Tokens } from "./telling.ts";

export const ANTHROPIC_URL = "https://api.anthropic.com";
const VERSION = "2023-06-01";
const MOST_TOKENS = 8192;
const LEFT_OUT = "<system notification>\nWhat came before is left out.\n</system notification>";

const Usage = z
  .object({
    input_tokens: Tokens,
    output_tokens: Tokens,
    cache_creation_input_tokens: Tokens,
    cache_read_input_tokens: Tokens,
  })
  .nullish()
  .catch(null);
const index = z.int().min(0).max(1000);
const Event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message_start"), message: z.object({ usage: Usage }) }),
  z.object({
    type: z.literal("content_block_start"),
    index,
    content_block: z.object({ type: z.string(), name: z.string().optional(), text: z.string().optional() }),
  }),
  z.object({
    type: z.literal("content_block_delta"),
    index,
    delta: z.object({ type: z.string(), text: z.string().optional(), partial_json: z.string().optional() }),
  }),
  z.object({
    type: z.literal("message_delta"),
    delta: z.object({ stop_reason: z.string().nullish() }),
    usage: Usage,
  }),
  z.object({ type: z.literal("message_stop") }),
  z.object({ type: z.literal("error"), error: z.object({ type: z.string(), message: z.string() }) }),
]);
const Typed = z.object({ type: z.string() });
const KNOWN: readonly string[] = [
  ...["message_start", "content_block_start", "content_block_delta", "message_delta", "message_stop", "error"],
];

export const anthropic = ({ model, base_url, api_key, price, patience }: ModelOptions): Driver => ({
  name: "anthropic",
  sample: (request, signal) =>
    ask(
      {
        // As its own clients have it, and as those of others do.
        url: `${base_url.replace(/(\/v1)?\/*$/, "")}/v1/messages`,
        headers: { "anthropic-version": VERSION, ...(api_key !== undefined && { "x-api-key": api_key }) },
        body: { model, stream: true, max_tokens: MOST_TOKENS, ...bodyOf(request) },
        told: toldWhole,
      },
      (events) => readAnswer(events, price),
      { signal, patience },
    ),
});

const bodyOf = ({ system, messages, tools }: SampleRequest): object => ({
  system,
  messages: apiMessages(messages),
  ...(tools.length > 0 && {
    tools: tools.map(({ name, description, input_schema }) => ({ name, description, input_schema })),
  }),
});

interface ApiMessage {
  role: "user" | "assistant";
  content: string | object[];
}

/** The results of one answer stand together, right behind it; a conversation begins with what somebody said. */
function apiMessages(messages: readonly ModelMessage[]): ApiMessage[] {
  const all: ApiMessage[] = messages[0]?.role === "user" ? [] : [{ role: "user", content: LEFT_OUT }];
  let results: object[] | undefined;
  for (const message of messages) {
    if (message.role === "tool") {
      results ??= begun(all);
      const { call_id: tool_use_id, output: content, is_error } = message;
      results.push({ type: "tool_result", tool_use_id, content, is_error });
      continue;
    }
    results = undefined;
    all.push(message.role === "user" ? { role: "user", content: message.content } : answered(message));
  }
  return all;
}

function begun(all: ApiMessage[]): object[] {
  const content: object[] = [];
  all.push({ role: "user", content });
  return content;
}

function answered({ text, calls }: Extract<ModelMessage, { role: "assistant" }>): ApiMessage {
  const uses = calls.map((call) => ({
    ...{ type: "tool_use", id: call.call_id, name: namedTool(call.tool), input: argumentsIn(call) },
  }));
  // An empty text is refused.
  const texts = text?.trim() || uses.length === 0 ? [{ type: "text", text: text?.trim() ? text : "(nothing)" }] : [];
  return { role: "assistant", content: [...texts, ...uses] };
}

class Reading {
  readonly #blocks = new Map<number, { tool: string | undefined; text: string }>();
  #input_tokens = 0;
  #output_tokens = 0;
  is_over = false;

  take(event: z.infer<typeof Event>): void {
    if (event.type === "error")
      throw new EndpointError(`The model failed: ${event.error.message}`, { passing: isPassing(event.error.type) });
    if (event.type === "message_start") this.#count(event.message.usage);
    else if (event.type === "content_block_start") {
      const { type, name, text = "" } = event.content_block;
      if (type === "tool_use") this.#blocks.set(event.index, { tool: name ?? "", text: "" });
      else if (type === "text") this.#blocks.set(event.index, { tool: undefined, text });
    } else if (event.type === "content_block_delta") {
      const block = this.#blocks.get(event.index);
      if (block) block.text += event.delta.text ?? event.delta.partial_json ?? "";
    } else if (event.type === "message_delta") this.#count(event.usage);
    else this.is_over = true;
  }

  answer(price: Price | undefined): Answer {
    const blocks = [...this.#blocks].sort(([a], [b]) => a - b).map(([, block]) => block);
    const text = blocks.flatMap(({ tool, text }) => (tool === undefined ? [text] : [])).join("");
    const calls = blocks.flatMap(({ tool, text }) => (tool === undefined ? [] : [{ tool, arguments: text }]));
    const [input_tokens, output_tokens] = [this.#input_tokens, this.#output_tokens];
    const cost_usd = costOf(price, input_tokens, output_tokens);
    return { ...(text && { text }), calls, input_tokens, output_tokens, cost_usd };
  }

  /** Each is of the whole answer so far. */
  #count(usage: z.infer<typeof Usage>): void {
    if (!usage) return;
    const { input_tokens, cache_creation_input_tokens: made, cache_read_input_tokens: read, output_tokens } = usage;
    const input = (input_tokens ?? 0) + (made ?? 0) + (read ?? 0);
    this.#input_tokens = Math.max(this.#input_tokens, input);
    this.#output_tokens = Math.max(this.#output_tokens, output_tokens ?? 0);
  }
}

const Block = z.looseObject({ type: z.string(), input: z.unknown().optional() });
const Message = z.looseObject({ type: z.literal("message"), content: z.array(Block) });

function toldWhole(whole: unknown): unknown[] {
  const read = Message.safeParse(whole);
  // One that says what is wrong is the event that does.
  if (!read.success) return [whole];
  const blocks = read.data.content.flatMap(({ input, ...content_block }, index) => [
    { type: "content_block_start", index, content_block },
    ...(input === undefined
      ? []
      : [
          {
            ...{ type: "content_block_delta", index },
            delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
          },
        ]),
  ]);
  return [{ type: "message_start", message: whole }, ...blocks, { type: "message_stop" }];
}

const isPassing = (type: string): boolean =>
  ["overloaded_error", "api_error", "rate_limit_error", "timeout_error"].includes(type);

async function readAnswer(events: AsyncIterable<unknown>, price: Price | undefined): Promise<Answer> {
  const reading = new Reading();
  for await (const event of events) {
    const typed = Typed.safeParse(event);
    if (!typed.success) throw broken("is not what this protocol says");
    // There are others, such as `ping`, and there will be more.
    if (!KNOWN.includes(typed.data.type)) continue;
    const read = Event.safeParse(event);
    if (!read.success) throw broken("is not what this protocol says");
    reading.take(read.data);
    if (reading.is_over) return reading.answer(price);
  }
  throw broken("was cut off");
}
