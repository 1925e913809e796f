/** Any endpoint that speaks as OpenAI's Responses do, streaming or not. Nothing is kept there: each question holds all of it. */
import { z } from "zod";
import type { Answer, Driver, ModelMessage, SampleRequest } from "./driver.ts";
import { ask, broken, EndpointError } from "./endpoint.ts";
import type { ModelOptions } from "./openai.ts";
import { argumentsIn, costOf, namedTool, type Price, Tokens } from "./telling.ts";

const Typed = z.object({ type: z.string() });
const Failure = z.object({ message: z.string() });
const Part = z.object({ text: z.string().optional(), refusal: z.string().optional() });
const Item = z.object({
  type: z.string(),
  content: z.array(Part).nullish(),
  name: z.string().optional(),
  arguments: z.string().optional(),
});
const Usage = z.object({ input_tokens: Tokens, output_tokens: Tokens });
const Whole = z.object({ response: z.object({ usage: Usage.nullish().catch(null), error: Failure.nullish() }) });
/** Cut short at the model's own limit is an answer, too. */
const ENDS: readonly string[] = ["response.completed", "response.incomplete"];

export const openaiResponses = ({ model, base_url, api_key, price, patience }: ModelOptions): Driver => ({
  name: "openai",
  sample: (request, signal) =>
    ask(
      {
        url: `${base_url.replace(/\/+$/, "")}/responses`,
        headers: api_key === undefined ? {} : { authorization: `Bearer ${api_key}` },
        body: { model, stream: true, store: false, ...bodyOf(request) },
        told: toldWhole,
      },
      (events) => readAnswer(events, price),
      { signal, patience },
    ),
});

const bodyOf = ({ system, messages, tools }: SampleRequest): object => ({
  instructions: system,
  input: messages.flatMap(told),
  ...(tools.length > 0 && {
    // Strict would refuse schemas that leave anything open.
    tools: tools.map(({ name, description, input_schema }) => ({
      ...{ type: "function", name, description, parameters: input_schema, strict: false },
    })),
  }),
});

function told(message: ModelMessage): object[] {
  if (message.role === "user") return [message];
  if (message.role === "tool")
    return [{ type: "function_call_output", call_id: message.call_id, output: message.output }];
  const { text, calls } = message;
  return [
    ...(text ? [{ role: "assistant", content: text }] : []),
    ...calls.map((call) => ({
      ...{ type: "function_call", call_id: call.call_id, name: namedTool(call.tool) },
      arguments: JSON.stringify(argumentsIn(call)),
    })),
  ];
}

async function readAnswer(events: AsyncIterable<unknown>, price: Price | undefined): Promise<Answer> {
  const calls: { tool: string; arguments: string }[] = [];
  let text = "";
  for await (const event of events) {
    const { type } = shaped(Typed, event);
    if (type === "error") throw failed(shaped(Failure, event));
    if (type === "response.failed") throw failed(shaped(Whole, event).response.error);
    if (type === "response.output_item.done") {
      const { item } = shaped(z.object({ item: Item }), event);
      if (item.type === "message") text += textIn(item);
      if (item.type === "function_call") calls.push({ tool: item.name ?? "", arguments: item.arguments ?? "" });
    }
    if (!ENDS.includes(type)) continue;
    const { usage } = shaped(Whole, event).response;
    const [input_tokens, output_tokens] = [usage?.input_tokens ?? 0, usage?.output_tokens ?? 0];
    const cost_usd = costOf(price, input_tokens, output_tokens);
    return { ...(text && { text }), calls, input_tokens, output_tokens, cost_usd };
  }
  throw broken("was cut off");
}

const InOnePiece = z.object({ output: z.array(z.unknown()), status: z.string().nullish() });

function toldWhole(whole: unknown): unknown[] {
  const { output, status } = shaped(InOnePiece, whole);
  const items = output.map((item) => ({ type: "response.output_item.done", item }));
  return [...items, { type: status === "failed" ? "response.failed" : "response.completed", response: whole }];
}

const textIn = ({ content }: z.infer<typeof Item>): string =>
  (content ?? []).map(({ text, refusal }) => text ?? refusal ?? "").join("");

const failed = (error: z.infer<typeof Failure> | null | undefined): EndpointError =>
  new EndpointError(`The model failed: ${error?.message ?? "it does not say why"}`, { passing: true });

function shaped<T>(schema: z.ZodType<T>, event: unknown): T {
  const read = schema.safeParse(event);
  if (read.success) return read.data;
  throw broken("is not what this protocol says");
}
