/** Any endpoint that speaks as OpenAI's chat completions do, streaming or not. */
import { z } from "zod";
import type { Answer, Driver, ModelMessage, SampleRequest } from "./driver.ts";
import { ask, broken, DONE, EndpointError, type Patience } from "./endpoint.ts";
import { argumentsIn, costOf, namedTool, type Price, Tokens } from "./telling.ts";

export const OPENAI_URL = "https://api.openai.com/v1";

export interface ModelOptions {
  model: string;
  base_url: string;
  api_key: string | undefined;
  price: Price | undefined;
  patience?: Patience;
}

const Part = z.object({
  index: z.int().min(0).max(127).nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});
// Some tell of thoughts in lists: of what is no text nobody is told.
const Delta = z.object({ content: z.string().nullish().catch(null), tool_calls: z.array(Part).nullish() });
const Chunk = z.object({
  choices: z.array(z.object({ delta: Delta.nullish(), finish_reason: z.string().nullish() })).nullish(),
  usage: z
    .object({ prompt_tokens: Tokens, completion_tokens: Tokens, cost: z.number().min(0).nullish().catch(null) })
    .nullish()
    .catch(null),
  error: z.object({ message: z.string() }).nullish(),
});
type Part = z.infer<typeof Part>;

/** The same in one piece: what would have come in parts is the message. */
const Whole = z.looseObject({
  choices: z.array(
    z.object({
      message: z.looseObject({ tool_calls: z.array(z.looseObject({})).nullish() }),
      finish_reason: z.string().nullish(),
    }),
  ),
});

export const openai = ({ model, base_url, api_key, price, patience }: ModelOptions): Driver => ({
  name: "openai",
  sample: (request, signal) =>
    ask(
      {
        url: `${base_url.replace(/\/+$/, "")}/chat/completions`,
        headers: api_key === undefined ? {} : { authorization: `Bearer ${api_key}` },
        body: { model, stream: true, stream_options: { include_usage: true }, ...bodyOf(request) },
        told: toldWhole,
      },
      (events) => readAnswer(events, price),
      { signal, patience },
    ),
});

const bodyOf = ({ system, messages, tools }: SampleRequest): object => ({
  messages: [{ role: "system", content: system }, ...messages.map(told)],
  ...(tools.length > 0 && {
    tools: tools.map(({ name, description, input_schema }) => ({
      type: "function",
      function: { name, description, parameters: input_schema },
    })),
  }),
});

function told(message: ModelMessage): object {
  if (message.role === "user") return message;
  if (message.role === "tool") return { role: "tool", tool_call_id: message.call_id, content: message.output };
  const { text, calls } = message;
  const tool_calls = calls.map((call) => ({
    id: call.call_id,
    type: "function",
    function: { name: namedTool(call.tool), arguments: JSON.stringify(argumentsIn(call)) },
  }));
  return {
    role: "assistant",
    content: text ?? (calls.length > 0 ? null : ""),
    ...(calls.length > 0 && { tool_calls }),
  };
}

async function readAnswer(events: AsyncIterable<unknown>, price: Price | undefined): Promise<Answer> {
  const calls = new Calls();
  let [text, is_over] = ["", false];
  let usage: z.infer<typeof Chunk>["usage"];
  for await (const event of events) {
    if (event === DONE) break;
    const { choices, usage: used, error } = chunkOf(event);
    if (error) throw new EndpointError(`The model failed: ${error.message}`, { passing: true });
    usage = used ?? usage;
    for (const { delta, finish_reason } of choices?.slice(0, 1) ?? []) {
      text += delta?.content ?? "";
      for (const part of delta?.tool_calls ?? []) calls.add(part);
      is_over ||= Boolean(finish_reason);
    }
  }
  if (!is_over) throw broken("was cut off");
  const [input_tokens, output_tokens] = [usage?.prompt_tokens ?? 0, usage?.completion_tokens ?? 0];
  const cost_usd = usage?.cost ?? costOf(price, input_tokens, output_tokens);
  return { ...(text && { text }), calls: calls.all, input_tokens, output_tokens, cost_usd };
}

/** Calls come in parts. */
class Calls {
  readonly all: { tool: string; arguments: string }[] = [];
  readonly #at = new Map<number, { id: string | null | undefined; call: { tool: string; arguments: string } }>();

  add({ index, id, function: told }: Part): void {
    const at = index ?? 0;
    const known = this.#at.get(at);
    // Not every endpoint counts them: one that begins with a name and an id of its own is another one.
    const is_new = !known || (Boolean(told?.name) && Boolean(id) && id !== known.id);
    const call = is_new ? { tool: "", arguments: "" } : known.call;
    if (is_new) {
      this.all.push(call);
      this.#at.set(at, { id, call });
    }
    call.tool += told?.name ?? "";
    call.arguments += told?.arguments ?? "";
  }
}

function toldWhole(whole: unknown): unknown[] {
  const read = Whole.safeParse(whole);
  // One that says what is wrong is told like a part that does.
  if (!read.success) return [whole];
  const choices = read.data.choices.map(({ message, finish_reason }) => ({
    delta: { ...message, tool_calls: message.tool_calls?.map((call, index) => ({ ...call, index })) },
    finish_reason: finish_reason ?? "stop",
  }));
  return [{ ...read.data, choices }];
}

function chunkOf(event: unknown): z.infer<typeof Chunk> {
  const read = Chunk.safeParse(event);
  if (read.success) return read.data;
  throw broken("is not what this protocol says");
}
