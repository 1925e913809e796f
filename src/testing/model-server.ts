/** A model's endpoint on loopback that speaks as the real ones do, and fails as they do when a test says so. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Answer } from "../runtime/drivers/driver.ts";

export interface Asked {
  url: string;
  headers: IncomingMessage["headers"];
  /** As it came. */
  text: string;
  // Each test says what it expects of it.
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it asserts
  body: any;
}

/** One answer to a request; what is left open stays open until the client is gone. */
export type Reply = (response: ServerResponse) => void;

export class ModelServer {
  readonly asked: Asked[] = [];
  readonly #replies: Reply[] = [];
  readonly #http = createServer((request, response) => void this.#take(request, response));

  static async open(): Promise<ModelServer> {
    const server = new ModelServer();
    await new Promise<void>((resolve) => server.#http.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.#http.close();
      server.#http.closeAllConnections();
    });
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** In the order in which it is asked. */
  replies(...replies: Reply[]): void {
    this.#replies.push(...replies);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request) text += chunk;
    this.asked.push({ url: request.url ?? "", headers: request.headers, text, body: JSON.parse(text) });
    const reply = this.#replies.shift() ?? refuse(500, "nobody said what to answer");
    reply(response);
  }
}

export const refuse =
  (status: number, message: string, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify({ error: { message } }));

export const hangUp: Reply = (response) => void response.destroy();

export type Protocol = (answer: Answer) => string[];

const line = (event: object, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(event)}\n\n`;
const halves = (text: string): [string, string] => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

/** As chat completions stream: the name first, the arguments in pieces, what was used at the end. */
export const openaiEvents: Protocol = ({ text, calls, input_tokens = 0, output_tokens = 0 }) => {
  const choice = (delta: object, finish_reason: string | null = null) =>
    line({ choices: [{ index: 0, delta, finish_reason }] });
  const called = calls.flatMap(({ tool, arguments: args }, index) => [
    choice({ tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name: tool, arguments: "" } }] }),
    ...halves(args).map((part) => choice({ tool_calls: [{ index, function: { arguments: part } }] })),
  ]);
  return [
    choice({ role: "assistant", content: "" }),
    ...(text ? halves(text).map((part) => choice({ content: part })) : []),
    ...called,
    choice({}, calls.length > 0 ? "tool_calls" : "stop"),
    line({ choices: [], usage: { prompt_tokens: input_tokens, completion_tokens: output_tokens } }),
    "data: [DONE]\n\n",
  ];
};

/** As Responses stream: each item begins, comes in pieces and is told whole, and so is the answer at the end. */
export const responsesEvents: Protocol = ({ text, calls, input_tokens = 0, output_tokens = 0 }) => {
  const event = (type: string, more: object): string => line({ type, ...more }, type);
  const items = [
    { item: { type: "reasoning", id: "rs_0", summary: [] }, kind: "reasoning_summary_text", parts: [] },
    ...(text
      ? [
          {
            item: { type: "message", id: "msg_0", role: "assistant", content: [{ type: "output_text", text }] },
            ...{ kind: "output_text", parts: halves(text) },
          },
        ]
      : []),
    ...calls.map(({ tool, arguments: args }, n) => ({
      item: { type: "function_call", id: `fc_${n}`, call_id: `call_${n}`, name: tool, arguments: args },
      ...{ kind: "function_call_arguments", parts: halves(args) },
    })),
  ];
  return [
    event("response.created", { response: { id: "resp_0", status: "in_progress", usage: null } }),
    ...items.flatMap(({ item, kind, parts }, output_index) => [
      event("response.output_item.added", { output_index, item: { type: item.type, id: item.id } }),
      ...parts.map((delta) => event(`response.${kind}.delta`, { output_index, item_id: item.id, delta })),
      event("response.output_item.done", { output_index, item }),
    ]),
    event("response.completed", {
      response: { id: "resp_0", status: "completed", usage: { input_tokens, output_tokens } },
    }),
  ];
};

/** As the Messages API streams: blocks that begin, go on and end. */
export const anthropicEvents: Protocol = ({ text, calls, input_tokens = 0, output_tokens = 0 }) => {
  const event = (type: string, more: object): string => line({ type, ...more }, type);
  const blocks = [
    ...(text
      ? [
          {
            content_block: { type: "text", text: "" },
            parts: halves(text).map((text) => ({ type: "text_delta", text })),
          },
        ]
      : []),
    ...calls.map(({ tool, arguments: args }, n) => ({
      content_block: { type: "tool_use", id: `toolu_${n}`, name: tool, input: {} },
      parts: halves(args).map((partial_json) => ({ type: "input_json_delta", partial_json })),
    })),
  ];
  return [
    event("message_start", { message: { role: "assistant", usage: { input_tokens, output_tokens: 1 } } }),
    event("ping", {}),
    ...blocks.flatMap(({ content_block, parts }, index) => [
      event("content_block_start", { index, content_block }),
      ...parts.map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ]),
    event("message_delta", {
      delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn" },
      usage: { output_tokens },
    }),
    event("message_stop", {}),
  ];
};

type WholeAnswer = (answer: Answer) => object;

/** As chat completions answer whom they do not stream to. */
export const openaiWhole: WholeAnswer = ({ text, calls, input_tokens = 0, output_tokens = 0 }) => {
  const tool_calls = calls.map(({ tool, arguments: args }, n) => ({
    ...{ id: `call_${n}`, type: "function", function: { name: tool, arguments: args } },
  }));
  const message = { role: "assistant", content: text ?? null, ...(calls.length > 0 && { tool_calls }) };
  const usage = { prompt_tokens: input_tokens, completion_tokens: output_tokens, total_tokens: 0 };
  return { object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }], usage };
};

export const responsesWhole: WholeAnswer = ({ text, calls, input_tokens = 0, output_tokens = 0 }) => ({
  ...{ object: "response", status: "completed", error: null, usage: { input_tokens, output_tokens } },
  output: [
    ...(text ? [{ type: "message", role: "assistant", content: [{ type: "output_text", text }] }] : []),
    ...calls.map(({ tool, arguments: args }) => ({ type: "function_call", name: tool, arguments: args })),
  ],
});

export const anthropicWhole: WholeAnswer = ({ text, calls, input_tokens = 0, output_tokens = 0 }) => ({
  ...{ type: "message", role: "assistant", stop_reason: "tool_use", usage: { input_tokens, output_tokens } },
  content: [
    ...(text ? [{ type: "text", text }] : []),
    ...calls.map(({ tool, arguments: args }, n) => ({
      ...{ type: "tool_use", id: `toolu_${n}`, name: tool, input: JSON.parse(args) },
    })),
  ],
});

export const answersWhole =
  (whole: object): Reply =>
  (response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));

const STREAM = { "content-type": "text/event-stream; charset=utf-8" };

/** Piece by piece, broken in the middle of lines, as networks do. */
export const streams =
  (events: readonly string[]): Reply =>
  (response) => {
    response.writeHead(200, STREAM);
    const text = events.join("");
    for (let at = 0; at < text.length; at += 37) response.write(text.slice(at, at + 37));
    response.end();
  };

/** The beginning of it, and then the end of the connection. */
export const cutOff =
  (events: readonly string[]): Reply =>
  (response) => {
    response.writeHead(200, STREAM);
    response.write(events.slice(0, -2).join(""), () => response.destroy());
  };

/** The beginning of it, and then nothing. */
export const fallsSilent =
  (events: readonly string[]): Reply =>
  (response) =>
    void response.writeHead(200, STREAM).write(events[0] ?? "");
