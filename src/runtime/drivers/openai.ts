/** Any endpoint that speaks as OpenAI's chat completions do, streaming or not. */
import { z } from "zod";
import type { Answer, Driver, ModelMessage, SampleRequest } from "./driver.ts";
import { ask, broken, DONE, EndpointError, type Patience } from "./endpoint.ts";
import { argumentsIn, costOf, namedTool, type Price } from "./telling.ts";

export const OPENAI_URL = "https://api.openai.com/v1";

export interface ModelOptions {
  model: string;
  base_url: string;
  api_key: string | undefined;
  price: Price | undefined;
  patience?: Patience;
}

const Part = z.object({
  index: z.int().min(0).max(127).default(0),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).optional(),
});
const Delta = z.object({ content: z.string().nullish(), tool_calls: z.array(Part).nullish() });
const Chunk = z.object({
  choices: z.array(z.object({ delta: Delta.default({}), finish_reason: z.string().nullish() })).default([]),
  usage: z
    .object({ prompt_tokens: z.int().min(0), completion_tokens: z.int().min(0), cost: z.number().min(0).optional() })
    .nullish(),
  error: z.object({ message: z.string() }).optional(),
});

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
  const calls: { tool: string; arguments: string }[] = [];
  let [text, is_over] = ["", false];
  let usage: z.infer<typeof Chunk>["usage"];
  for await (const event of events) {
    if (event === DONE) break;
    const { choices, usage: used, error } = chunkOf(event);
    if (error) throw new EndpointError(`The model failed: ${error.message}`, { passing: true });
    usage = used ?? usage;
    for (const { delta, finish_reason } of choices.slice(0, 1)) {
      text += delta.content ?? "";
      for (const part of delta.tool_calls ?? []) {
        calls[part.index] ??= { tool: "", arguments: "" };
        const call = calls[part.index];
        if (!call) continue;
        call.tool += part.function?.name ?? "";
        call.arguments += part.function?.arguments ?? "";
      }
      is_over ||= Boolean(finish_reason);
    }
  }
  if (!is_over) throw broken("was cut off");
  const [input_tokens, output_tokens] = [usage?.prompt_tokens ?? 0, usage?.completion_tokens ?? 0];
  const cost_usd = usage?.cost ?? costOf(price, input_tokens, output_tokens);
  return { ...(text && { text }), calls: calls.filter(Boolean), input_tokens, output_tokens, cost_usd };
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
