/** The drivers that ask a model over HTTP, against endpoints that behave as the real ones do, and misbehave as they do. */
import { describe, expect, test } from "vitest";
import {
  type Asked,
  answersWhole,
  anthropicEvents,
  anthropicWhole,
  cutOff,
  fallsSilent,
  hangUp,
  ModelServer,
  openaiEvents,
  openaiWhole,
  type Protocol,
  refuse,
  responsesEvents,
  responsesWhole,
  streams,
} from "../../testing/model-server.ts";
import { driverOf } from "../definition.ts";
import { anthropic } from "./anthropic.ts";
import type { Answer, Driver, ModelMessage } from "./driver.ts";
import { type Patience, waitOf } from "./endpoint.ts";
import { type ModelOptions, openai } from "./openai.ts";
import { openaiResponses } from "./openai-responses.ts";

const PATIENCE: Patience = {
  ...{ tries: 4, pace: { first_ms: 1, most_ms: 5 }, most_wait_ms: 1000, silent_ms: 3000, whole_ms: 60_000 },
};
const NEVER = new AbortController().signal;
const TOOLS = [{ name: "task_create", description: "makes one", input_schema: { type: "object" } }];
const HELLO: ModelMessage[] = [{ role: "user", content: "hello" }];
const ANSWER: Answer = {
  text: "Let me see, über alles ☃.",
  calls: [
    { tool: "task_create", arguments: '{"content":"one"}' },
    { tool: "mail_inbox", arguments: "{}" },
  ],
  ...{ input_tokens: 1000, output_tokens: 200 },
};

interface Kind {
  name: string;
  make: (options: ModelOptions) => Driver;
  events: Protocol;
  whole: (answer: Answer) => object;
  failure: object;
  /** Where a request names the key, and what it says was said, each by what it is. */
  key: [header: string, value: string];
  told: (body: Asked["body"]) => { all: object[]; kinds: string[]; arguments: string[] };
}

interface InputItem {
  role: string;
  type: string;
  arguments: string;
  tool_calls?: { function: { arguments: string } }[];
  content: { type: string; input: object }[];
}

const rolesOf = (all: readonly InputItem[]): string[] => all.map(({ role }) => role);

const KINDS: Kind[] = [
  {
    ...{ name: "openai, chat", make: openai, events: openaiEvents, whole: openaiWhole },
    key: ["authorization", "Bearer key"],
    failure: { error: { message: "overloaded", code: 503 } },
    told: ({ messages }: { messages: InputItem[] }) => ({
      ...{ all: messages, kinds: rolesOf(messages) },
      arguments: messages.flatMap(({ tool_calls = [] }) => tool_calls.map((called) => called.function.arguments)),
    }),
  },
  {
    ...{ name: "openai, responses", make: openaiResponses, events: responsesEvents, whole: responsesWhole },
    ...{
      failure: { type: "error", code: "server_error", message: "overloaded" },
      key: ["authorization", "Bearer key"],
    },
    told: ({ instructions, input }: { instructions: string; input: InputItem[] }) => ({
      ...{ all: input, kinds: [instructions && "system", ...input.map(({ role, type }) => role ?? type)] },
      arguments: input.flatMap(({ type, arguments: args }) => (type === "function_call" ? args : [])),
    }),
  },
  {
    ...{ name: "anthropic", make: anthropic, events: anthropicEvents, whole: anthropicWhole },
    key: ["x-api-key", "key"],
    failure: { type: "error", error: { type: "overloaded_error", message: "overloaded" } },
    told: ({ messages }: { messages: InputItem[] }) => ({
      ...{ all: messages, kinds: rolesOf(messages) },
      arguments: (messages[1]?.content ?? []).map(({ input }) => JSON.stringify(input)),
    }),
  },
];

const TOLD: Record<string, string[]> = {
  "openai, chat": ["system", "user", "assistant", "tool", "tool", "tool", "user"],
  "openai, responses": [
    ...["system", "user", "function_call", "function_call", "function_call"],
    ...["function_call_output", "function_call_output", "function_call_output", "user"],
  ],
  anthropic: ["user", "assistant", "user", "user"],
};

describe.each(KINDS)("$name", ({ name, make, events, whole, failure, key, told }) => {
  const open = async (more: Partial<ModelOptions> = {}) => {
    const server = await ModelServer.open();
    const price = { input: 3, output: 15 };
    const driver = make({ model: "m", base_url: server.url, api_key: "key", price, patience: PATIENCE, ...more });
    const sample = (messages = HELLO, signal = NEVER) =>
      driver.sample({ system: "You are scout.", messages, turn_from: 0, tools: TOOLS }, signal);
    return { server, sample };
  };

  test("text and calls come in pieces and are whole, with what was used and what it cost", async () => {
    const { server, sample } = await open();
    server.replies(streams(events(ANSWER)));
    expect(await sample()).toEqual({ ...ANSWER, cost_usd: 0.006 });
    expect(server.asked[0]?.body).toMatchObject({ model: "m", stream: true });
    expect(server.asked[0]?.headers).toMatchObject(Object.fromEntries([key]));
  });

  test("an endpoint that does not stream answers in one piece, or says in one what is wrong", async () => {
    const { server, sample } = await open();
    server.replies(answersWhole(whole(ANSWER)));
    expect(await sample()).toEqual({ ...ANSWER, cost_usd: 0.006 });
    server.replies(answersWhole(whole({ text: "Done.", calls: [] })));
    expect(await sample()).toEqual({ text: "Done.", calls: [], input_tokens: 0, output_tokens: 0, cost_usd: 0 });
    server.replies(answersWhole(failure), answersWhole({ what: 1 }), answersWhole(whole(ANSWER)));
    expect(await sample()).toMatchObject(ANSWER);
    expect(server.asked).toHaveLength(5);
  });

  test("an event may have several lines of data, and lines may end as the standard allows", async () => {
    const { server, sample } = await open();
    const spread = events(ANSWER).map((event) =>
      event.replace(/\{.*\}/, (json) => JSON.stringify(JSON.parse(json), null, 1).replaceAll("\n", "\ndata: ")),
    );
    for (const end of ["\n", "\r\n", "\r"]) {
      server.replies(streams(spread.map((event) => event.replaceAll("\n", end))));
      expect(await sample()).toMatchObject(ANSWER);
    }
    expect(server.asked).toHaveLength(3);
  });

  test.each([
    ["429 with retry-after", refuse(429, "slow down", { "retry-after": "0.05" })],
    ["500", refuse(500, "oops")],
    ["529", refuse(529, "overloaded")],
    ["a connection that ends", hangUp],
    ["a stream that is cut off", cutOff(events(ANSWER))],
    ["a stream that falls silent", fallsSilent(events(ANSWER))],
    [
      "a stream that tells of an error",
      streams([...events(ANSWER).slice(0, 1), `data: ${JSON.stringify(failure)}\n\n`]),
    ],
    ["a stream that is no JSON", streams(["data: {half\n\n"])],
    ["a stream of something else", streams(['data: ["what"]\n\n'])],
  ])("%s is met by asking the same again", async (_, reply) => {
    const { server, sample } = await open();
    server.replies(reply, reply, streams(events(ANSWER)));
    expect(await sample()).toMatchObject({ calls: ANSWER.calls, input_tokens: 1000 });
    expect(server.asked).toHaveLength(3);
    expect(server.asked[2]?.body).toEqual(server.asked[0]?.body);
  });

  test("an endpoint that asks for patience is waited for, and not for longer than makes sense", async () => {
    const { server, sample } = await open();
    server.replies(refuse(429, "slow down", { "retry-after": "0.3" }), streams(events(ANSWER)));
    const from = performance.now();
    await sample();
    expect(performance.now() - from).toBeGreaterThanOrEqual(295);
    server.replies(refuse(429, "come back tomorrow", { "retry-after": "86400" }));
    await expect(sample()).rejects.toThrow("come back tomorrow");
    expect(server.asked).toHaveLength(3);
  });

  test("what no repetition mends ends the question at once, and what never passes in the end, each with its reason", async () => {
    const { server, sample } = await open();
    server.replies(refuse(401, "invalid x-api-key"));
    await expect(sample()).rejects.toThrow("The model's endpoint answered 401: invalid x-api-key");
    expect(server.asked).toHaveLength(1);
    server.replies((response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"));
    await expect(sample()).rejects.toThrow("something else than events or JSON");
    server.replies(...Array.from({ length: 4 }, () => refuse(503, "down")));
    await expect(sample()).rejects.toThrow("answered 503: down");
    expect(server.asked).toHaveLength(6);
  });

  test("a refusal without end is read no further than it is shown", async () => {
    const { server, sample } = await open();
    const closed = Promise.withResolvers<void>();
    server.replies((response) => {
      response.once("close", closed.resolve);
      const more = (): void => {
        // As fast as it is read.
        while (!response.destroyed && response.write("no ".repeat(10_000)));
      };
      response.writeHead(401).on("drain", more);
      more();
    });
    await expect(sample()).rejects.toThrow(/answered 401: (no ){600}/);
    await closed.promise;
  });

  test.each([302, 307])(
    "a redirect (%i) is not followed: neither the key nor what was said goes anywhere else",
    async (status) => {
      const { server, sample } = await open();
      const elsewhere = await ModelServer.open();
      server.replies(refuse(status, "moved", { location: `${elsewhere.url}/v1?secret=1` }));
      elsewhere.replies(streams(events(ANSWER)));
      const why = await sample().then(() => "answered", String);
      expect(why).toContain(`answered ${status}: it is at ${elsewhere.url}/v1 now`);
      expect([why.includes("secret"), elsewhere.asked]).toEqual([false, []]);
      expect(server.asked).toHaveLength(1);
    },
  );

  test("an endpoint that shows that it is there, and answers nothing, is given up", async () => {
    const { server, sample } = await open({ patience: { ...PATIENCE, whole_ms: 300 } });
    server.replies((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const timer = setInterval(() => response.write(": still there\n\n"), 10);
      response.once("close", () => clearInterval(timer));
    });
    await expect(sample()).rejects.toThrow("was not whole after 300 ms");
    expect(server.asked).toHaveLength(1);
  });

  test("an endpoint where nobody is, is named so", async () => {
    const { sample } = await open({ base_url: "http://127.0.0.1:1" });
    await expect(sample()).rejects.toThrow("The model cannot be reached");
  });

  test("a question that is aborted is over at once, while it is answered and while it waits", async () => {
    const { server, sample } = await open();
    for (const reply of [fallsSilent(events(ANSWER)), refuse(429, "slow down", { "retry-after": "0.9" })]) {
      const stop = new AbortController();
      server.replies(reply);
      const before = server.asked.length;
      const asked = sample(HELLO, stop.signal);
      await expect.poll(() => server.asked.length).toBe(before + 1);
      stop.abort(new Error("aborted"));
      await expect(asked).rejects.toThrow(/abort/i);
    }
    expect(server.asked).toHaveLength(2);
  });

  test("calls that are malformed are given as they came, and told the endpoint in a form that it takes", async () => {
    const { server, sample } = await open();
    const malformed = [
      { tool: "no such tool!", arguments: '{"content":"o' },
      { tool: "task_create", arguments: "[1]" },
      { tool: "task_create", arguments: "" },
    ];
    server.replies(streams(events({ calls: malformed })), streams(events({ calls: [] })));
    expect((await sample()).calls).toEqual(malformed);
    const calls = malformed.map((call, n) => ({ ...call, call_id: `1-0-${n}` }));
    const results = calls.map(
      ({ call_id, tool }): ModelMessage => ({ role: "tool", call_id, tool, output: "no", is_error: true }),
    );
    await sample([...HELLO, { role: "assistant", text: null, calls }, ...results, { role: "user", content: "and?" }]);
    const [, second] = server.asked;
    const { all, kinds, arguments: args } = told(second?.body);
    const text = JSON.stringify(all);
    expect(text).toContain("no_such_tool_");
    expect(text).not.toContain("no such tool!");
    expect(kinds).toEqual(TOLD[name]);
    expect(args.map((each) => JSON.parse(each))).toEqual([{ malformed: '{"content":"o' }, { malformed: "[1]" }, {}]);
  });
});

const once = (driver: Driver): Promise<Answer> =>
  driver.sample({ system: "s", messages: HELLO, turn_from: 0, tools: TOOLS }, NEVER);
const data = (...all: object[]): string[] => all.map((event) => `data: ${JSON.stringify(event)}\n\n`);

test("chat completions whose calls all have one index, or none, are told apart by their ids", async () => {
  const server = await ModelServer.open();
  const driver = openai({ model: "m", base_url: server.url, api_key: undefined, price: undefined, patience: PATIENCE });
  const [one, two] = [
    { id: "a", function: { name: "task_create", arguments: '{"content"' } },
    { id: "b", function: { name: "mail_inbox", arguments: "{}" } },
  ];
  // Some give each part another id; the name stands in the first.
  const rest = { function: { name: null, arguments: ':"one"}' } };
  for (const place of [{}, { index: 0 }]) {
    const parts = [
      { ...one, ...place },
      { ...rest, ...place, id: "c" },
      { ...two, ...place },
    ];
    const told = parts.map((part) => ({ choices: [{ delta: { tool_calls: [part] } }] }));
    server.replies(streams(data(...told, { choices: [{ delta: {}, finish_reason: "tool_calls" }] })));
    expect((await once(driver)).calls).toEqual(ANSWER.calls);
  }
});

test("what an endpoint says oddly beside its answer does not make it none", async () => {
  const server = await ModelServer.open();
  const made = { model: "m", base_url: server.url, api_key: undefined, price: undefined, patience: PATIENCE };
  const chat = { choices: [{ delta: { content: "Done." }, finish_reason: "stop" }] };
  const parts = [{ type: "thinking", thinking: [] }];
  for (const odd of [
    { choices: null, error: null },
    { usage: { prompt_tokens: null, completion_tokens: 4, cost: null } },
    { usage: { prompt_tokens: 3 } },
    { usage: "none" },
    { choices: [{ delta: null }] },
    { choices: [{ delta: { content: parts } }] },
  ]) {
    server.replies(streams(data(chat, odd)));
    expect(await once(openai(made))).toMatchObject({ text: "Done.", calls: [] });
  }
  const message = { type: "message", content: [{ type: "output_text", text: "Done." }] };
  for (const usage of [null, {}, { input_tokens: 3, output_tokens: null }]) {
    const item = { type: "response.output_item.done", item: message };
    server.replies(streams(data(item, { type: "response.completed", response: { usage } })));
    expect(await once(openaiResponses(made))).toMatchObject({ text: "Done.", output_tokens: 0 });
    const content = [{ type: "text", text: "Done." }];
    server.replies(answersWhole({ type: "message", content, usage }));
    expect(await once(anthropic(made))).toMatchObject({ text: "Done.", output_tokens: 0 });
  }
  expect(server.asked).toHaveLength(12);
});

test("the openai driver speaks the protocol that its definition names, and chat completions where it names none", async () => {
  const server = await ModelServer.open();
  for (const [api, events] of [
    [undefined, openaiEvents],
    ["chat", openaiEvents],
    ["responses", responsesEvents],
  ] as const) {
    const driver = driverOf(
      { driver: "openai", model: "m", base_url: `${server.url}/v1`, ...(api !== undefined && { api }) },
      {},
    );
    server.replies(streams(events(ANSWER)));
    expect(await driver.sample({ system: "s", messages: HELLO, turn_from: 0, tools: [] }, NEVER)).toMatchObject(ANSWER);
  }
  expect(server.asked.map(({ url }) => url)).toEqual([
    ...["/v1/chat/completions", "/v1/chat/completions", "/v1/responses"],
  ]);
});

test("the address of the Messages API may be given with its version or without", async () => {
  const server = await ModelServer.open();
  for (const end of ["", "/", "/v1", "/v1/", "/proxy/v1"]) {
    const driver = driverOf({ driver: "anthropic", model: "m", base_url: `${server.url}${end}` }, {});
    server.replies(streams(anthropicEvents(ANSWER)));
    await driver.sample({ system: "s", messages: HELLO, turn_from: 0, tools: [] }, NEVER);
  }
  expect(server.asked.map(({ url }) => url)).toEqual([...Array(4).fill("/v1/messages"), "/proxy/v1/messages"]);
});

test("a conversation that begins in the middle begins with words of the user, and no text is empty", async () => {
  const server = await ModelServer.open();
  const driver = anthropic({
    model: "m",
    base_url: server.url,
    api_key: undefined,
    price: undefined,
    patience: PATIENCE,
  });
  server.replies(streams(anthropicEvents({ calls: [] })));
  const messages: ModelMessage[] = [{ role: "assistant", text: "", calls: [] }, ...HELLO];
  expect(await driver.sample({ system: "s", messages, turn_from: 0, tools: [] }, NEVER)).toMatchObject({ cost_usd: 0 });
  expect(server.asked[0]?.body.messages).toMatchObject([
    { role: "user" },
    { role: "assistant", content: [{ type: "text", text: "(nothing)" }] },
    { role: "user", content: "hello" },
  ]);
});

test("how long to wait is said in seconds or as a date", () => {
  const now = Date.UTC(2026, 0, 1);
  expect(waitOf("2", now)).toBe(2000);
  expect(waitOf("Thu, 01 Jan 2026 00:00:05 GMT", now)).toBe(5000);
  expect(waitOf("Wed, 31 Dec 2025 00:00:05 GMT", now)).toBe(0);
  expect([waitOf(null), waitOf(""), waitOf("soon")]).toEqual([undefined, undefined, undefined]);
});
