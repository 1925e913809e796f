/** The Messages API, as far as Claude Code uses it. */
import type { ServerResponse } from "node:http";
import { z } from "zod";
import { json, ModelServer, type Read, stream, textsOf } from "./model-server.ts";
import type { Call, Say } from "./script.ts";

const Body = z.looseObject({
  model: z.string().default("none"),
  stream: z.boolean().default(false),
  system: z.unknown().optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })).default([]),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
});

export class AnthropicServer extends ModelServer {
  #count = 0;

  protected isModelCall(path: string): boolean {
    return new URL(path, this.url).pathname === "/v1/messages";
  }

  protected refuse(response: ServerResponse, path: string): void {
    if (path.includes("count_tokens")) json(response, { input_tokens: 1_000 });
    else json(response, { type: "error", error: { type: "not_found_error", message: path } }, 404);
  }

  protected read(body: unknown): Read {
    const { system, messages, tools } = Body.parse(body);
    const by = (role: string) => (role === "user" ? "user" : role === "assistant" ? "model" : "other");
    return {
      text: textsOf([system, messages]),
      tools: tools.map(({ name }) => name),
      turns: messages.map(({ role, content }) => ({ by: by(role), text: textsOf(content) })),
    };
  }

  protected reply(response: ServerResponse, step: Say | Call, body: unknown): void {
    const { model, stream: streamed } = Body.parse(body);
    const id = `${Date.now()}_${++this.#count}`;
    const blocks =
      "say" in step
        ? [{ type: "text", text: step.say }]
        : [step, ...(step.beside ?? [])].map(({ call: name, input }, n) => ({
            ...{ type: "tool_use", id: `toolu_${id}_${n}`, name, input },
          }));
    const stop_reason = "say" in step ? "end_turn" : "tool_use";
    const usage = {
      input_tokens: 1_000,
      output_tokens: 20,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    };
    const about = { id: `msg_${id}`, type: "message", role: "assistant", model, stop_sequence: null, usage };
    if (!streamed) {
      json(response, { ...about, content: blocks, stop_reason });
      return;
    }
    const events = [
      { type: "message_start", message: { ...about, content: [], stop_reason: null } },
      ...blocks.flatMap((block, index) => eventsOf(block, index)),
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
      { type: "message_stop" },
    ];
    stream(response, events);
  }
}

type Block =
  | { type: string; text: string }
  | { type: string; id: string; name: string; input: Record<string, unknown> };

function eventsOf(block: Block, index: number) {
  const [content_block, delta] =
    "text" in block
      ? [
          { ...block, text: "" },
          { type: "text_delta", text: block.text },
        ]
      : [
          { ...block, input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
        ];
  return [
    { type: "content_block_start", index, content_block },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
}
