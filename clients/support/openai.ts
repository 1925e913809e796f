/** The Responses API, as far as Codex uses it. */
import type { ServerResponse } from "node:http";
import { z } from "zod";
import { json, ModelServer, type Read, stream, textsOf } from "./model-server.ts";
import type { Call, Say } from "./script.ts";

const Item = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: z.unknown().optional(),
});

const Body = z.looseObject({
  instructions: z.unknown().optional(),
  input: z.array(Item).default([]),
  tools: z.array(z.looseObject({ type: z.string(), name: z.string().optional() })).default([]),
});

const CALLS = ["function_call", "custom_tool_call"];

export class OpenAiServer extends ModelServer {
  #count = 0;

  protected isModelCall(path: string): boolean {
    return new URL(path, this.url).pathname.endsWith("/responses");
  }

  protected refuse(response: ServerResponse): void {
    json(response, { object: "list", data: [], models: [] });
  }

  protected read(body: unknown): Read {
    const { instructions, input, tools } = Body.parse(body);
    const by = ({ role, type = "" }: z.infer<typeof Item>) => {
      if (role === "assistant" || CALLS.includes(type)) return "model";
      return role === "user" ? "user" : "other";
    };
    return {
      text: textsOf([instructions, input]),
      tools: tools.map(({ name, type }) => name ?? type),
      turns: input.map((item) => ({ by: by(item), text: textsOf(item.content) })),
    };
  }

  protected reply(response: ServerResponse, step: Say | Call): void {
    const id = `${Date.now()}_${++this.#count}`;
    const usage = { input_tokens: 1_000, input_tokens_details: null, output_tokens: 20, output_tokens_details: null };
    const events = [
      { type: "response.created", response: { id: `resp_${id}` } },
      { type: "response.output_item.done", output_index: 0, item: itemOf(step, id) },
      { type: "response.completed", response: { id: `resp_${id}`, usage: { ...usage, total_tokens: 1_020 } } },
    ];
    stream(response, events);
  }
}

function itemOf(step: Say | Call, id: string): object {
  if ("say" in step) {
    const content = [{ type: "output_text", text: step.say }];
    return { type: "message", id: `msg_${id}`, role: "assistant", content };
  }
  const { call, namespace, input } = step;
  const name = { name: call, ...(namespace !== undefined && { namespace }) };
  return { type: "function_call", id: `fc_${id}`, call_id: `call_${id}`, ...name, arguments: JSON.stringify(input) };
}
