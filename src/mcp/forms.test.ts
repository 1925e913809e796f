/** A question that is also asked at the asker's own client, in every way a client can show a form. */
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as Transport1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { beforeEach, expect, test } from "vitest";
import type { Config } from "../config.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { modern, Raw, type Rpc } from "../testing/mcp-raw.ts";
import { Ground, until } from "../testing/process.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it asserts
type Json = any;

type Fill = (params: Json) => Promise<{ action: "accept" | "decline"; content?: Record<string, string> }>;
interface Asker extends AsyncDisposable {
  wait(question_id: string): Promise<Json>;
}

const INFO = { name: "test", version: "1.0.0" };
const capabilities = { elicitation: { form: {} } };

async function client2(url: string, token: string, fill: Fill, mode: "legacy" | { pin: string }): Promise<Asker> {
  const client = new Client2(INFO, { capabilities, versionNegotiation: { mode } });
  client.setRequestHandler("elicitation/create", ({ params }) => fill(params));
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new Http2(new URL("/mcp", url), { requestInit: { headers } }));
  return {
    wait: async (question_id) =>
      ((await client.callTool({ name: "question_wait", arguments: { question_id, wait_seconds: 30 } })) as Json)
        .structuredContent,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function client1(url: string, token: string, fill: Fill): Promise<Asker> {
  const client = new Client1(INFO, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => fill(params));
  const headers = { authorization: `Bearer ${token}` };
  // Its own transports do not fit its interface under exactOptionalPropertyTypes.
  await client.connect(new Http1(new URL("/mcp", url), { requestInit: { headers } }) as Transport1);
  return {
    wait: async (question_id) =>
      (await client.callTool({ name: "question_wait", arguments: { question_id, wait_seconds: 30 } }))
        .structuredContent,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const CLIENTS: Record<string, (url: string, token: string, fill: Fill) => Promise<Asker>> = {
  "a 2026-07-28 client": (url, token, fill) => client2(url, token, fill, { pin: "2026-07-28" }),
  "a 2025-11-25 client": (url, token, fill) => client2(url, token, fill, "legacy"),
  "a client of the first SDK": client1,
};

eachDatabase((open) => {
  let hub: TestHub;
  let [ana, scout]: string[] = [];
  const begin = async (config: Partial<Config> = {}): Promise<void> => {
    hub = await open({ config });
    [ana, scout] = [await hub.token("human", "ana"), await hub.token("agent", "scout")];
  };
  beforeEach(() => begin());

  const call = async (token: string | undefined, tool: string, args: object = {}) =>
    (await hub.call(token, tool, args)).body;
  const ask = async (more: object = {}): Promise<string> =>
    (await call(scout, "add_question", { question: "Which city?", context: "To book.", ...more })).question_id;
  const asked = async () => (await call(ana, "get_all_questions")).questions[0];
  const answer = (id: string, text: string) => call(ana, "submit_answers", { answers: { [id]: text } });
  const accept =
    (content: Record<string, string>): Fill =>
    async () => ({ action: "accept", content });
  const BY_FORM = { answered_by: null, handed_in_by: "scout", via: "elicitation", state: "answered" };

  for (const [kind, connect] of Object.entries(CLIENTS)) {
    test(`${kind} shows the question in a form, and what is said there is the answer, marked`, async () => {
      const shown: Json[] = [];
      await using asker = await connect(hub.url, scout ?? "", async (params) => {
        shown.push(params);
        return { action: "accept", content: { answer: "Brno" } };
      });
      const id = await ask({ options: ["Prague", "Plzeň"], blocking: true });
      expect(await asker.wait(id)).toMatchObject({ question_id: id, answer: "Brno", via: "elicitation" });
      expect(await asked()).toMatchObject({ ...BY_FORM, answer: "Brno" });
      expect(shown).toMatchObject([
        {
          message: "Which city?\n\nTo book.",
          requestedSchema: { properties: { choice: { enum: ["Prague", "Plzeň"] } } },
        },
      ]);
      expect(await answer(id, "Prague")).toMatchObject({ already_answered: [id] });
      expect((await call(scout, "mail_inbox")).messages).toEqual([]);
    });

    test(`${kind} whose form is put away goes on waiting for everybody else`, async () => {
      let declined = false;
      await using asker = await connect(hub.url, scout ?? "", async () => {
        declined = true;
        return { action: "decline" };
      });
      const id = await ask();
      const waiting = asker.wait(id);
      await until(() => declined);
      await answer(id, "Prague");
      expect(await waiting).toMatchObject({ answer: "Prague", answered_by: "ana" });
    });

    test(`${kind}, the page, a command, a program and a mail answer at once: the first counts, and the asker has that one`, async () => {
      const [ben, boss] = [await hub.token("human", "ben"), await hub.token("orchestrator", "boss")];
      await using ground = new Ground({ in_process: true });
      const env = { PARLEY_URL: hub.url, PARLEY_TOKEN: await hub.token("human", "cleo") };
      const shown = Promise.withResolvers<void>();
      const go = Promise.withResolvers<void>();
      await using asker = await connect(hub.url, scout ?? "", async () => {
        shown.resolve();
        await go.promise;
        return { action: "accept", content: { answer: "by form" } };
      });
      const id = await ask({ blocking: true });
      const waiting = asker.wait(id);
      const [mail] = (await call(ben, "mail_inbox")).messages;
      await shown.promise;
      const typing = ground.parley(["answer", id, "by", "command", "--json"], { env });
      // A command looks first what is asked: so nobody is ahead of it.
      await call(ana, "get_pending_questions");
      go.resolve();
      const body = JSON.stringify({ answers: { [id]: "by a program" } });
      const [command, , page, program] = await Promise.all([
        typing,
        call(ben, "mail_reply", { id: mail.id, body: "by mail" }),
        answer(id, "by page"),
        hub.request("POST", "/sessions/main/answers", { token: boss, body }),
      ]);
      const told = await waiting;
      const { answer: first, via } = await asked();
      expect(told).toMatchObject({ question_id: id, state: "answered", answer: first, via });
      expect(["by form", "by mail", "by page", "by command", "by a program"]).toContain(first);
      expect([page.already_answered.length === 0, program.status, command.code]).toEqual([
        first === "by page",
        first === "by a program" ? 200 : 409,
        first === "by command" ? 0 : 5,
      ]);
      const section = await call(scout, "read_section", { section_name: "user_answers" });
      expect(JSON.stringify(section).match(/by (form|mail|page|command|a program)/g)).toEqual([first]);
    });

    test(`${kind} may choose nothing but the options where they are all there is`, async () => {
      await using asker = await connect(hub.url, scout ?? "", accept({ choice: "Prague", answer: "" }));
      const id = await ask({ options: ["Prague"], options_only: true });
      expect(await asker.wait(id)).toMatchObject({ answer: "Prague" });
      expect(await asked()).toMatchObject(BY_FORM);
    });
  }

  test("an older session's form is put away when somebody else was first", async () => {
    const open_forms: ((said: { action: "accept"; content: Record<string, string> }) => void)[] = [];
    const connect = CLIENTS["a 2025-11-25 client"];
    await using asker = (await connect?.(
      hub.url,
      scout ?? "",
      () => new Promise((resolve) => open_forms.push(resolve)),
    )) as Asker;
    const id = await ask();
    const waiting = asker.wait(id);
    await until(() => open_forms.length === 1);
    await answer(id, "Prague");
    expect(await waiting).toMatchObject({ answer: "Prague", answered_by: "ana" });
    open_forms[0]?.({ action: "accept", content: { answer: "Brno" } });
    expect(await asked()).toMatchObject({ answer: "Prague", answered_by: "ana" });
  });

  test("a task asks for input, takes it once, and ends with whichever answer was first", async () => {
    const raw = new Raw(hub.url, scout ?? "");
    const CAPABLE = { ...capabilities, extensions: { "io.modelcontextprotocol/tasks": {} } };
    const send = async (rpc: Rpc): Promise<Json> => (await raw.send("POST", "/mcp", modern(rpc, CAPABLE))).body.result;
    const begun = (question_id: string) =>
      send({ method: "tools/call", params: { name: "question_wait", arguments: { question_id } } });
    const get = (taskId: string) => send({ method: "tasks/get", params: { taskId } });
    const update = (taskId: string, said: object) =>
      send({ method: "tasks/update", params: { taskId, inputResponses: { answer: said } } });
    const id = await ask();
    const { taskId, status } = await begun(id);
    expect(status).toBe("working");
    const form = await get(taskId);
    expect(form).toMatchObject({ taskId, status: "input_required" });
    expect(form.inputRequests.answer).toMatchObject({
      method: "elicitation/create",
      params: { mode: "form", message: "Which city?\n\nTo book." },
    });
    const held = get(taskId);
    await until(() => hub.hub.streams.count(({ kind }) => kind === "wait") === 1);
    await update(taskId, { action: "accept", content: { answer: "Brno" } });
    expect((await held).result.structuredContent).toMatchObject({ answer: "Brno", via: "elicitation" });
    await update(taskId, { action: "accept", content: { answer: "Plzeň" } });
    expect(await asked()).toMatchObject({ answer: "Brno" });
    // Put away, it is not shown again: the task waits for everybody else.
    const other = await ask();
    const task = await begun(other);
    expect(await get(task.taskId)).toMatchObject({ status: "input_required" });
    await update(task.taskId, { action: "decline" });
    const waiting = get(task.taskId);
    await until(() => hub.hub.streams.count(({ kind }) => kind === "wait") === 1);
    await answer(other, "Prague");
    expect((await waiting).result.structuredContent).toMatchObject({ answer: "Prague", answered_by: "ana" });
  });

  test("no form is shown of another's question, to a client that shows none, or where forms are not allowed", async () => {
    const id = await ask();
    const other = await hub.token("agent", "mason");
    const sent = async (token: string | undefined, can: object): Promise<Json> => {
      const rpc = {
        method: "tools/call",
        params: { name: "question_wait", arguments: { question_id: id, wait_seconds: 0 } },
      };
      return (await new Raw(hub.url, token ?? "").send("POST", "/mcp", modern(rpc, can))).body.result;
    };
    expect(await sent(scout, capabilities)).toMatchObject({ resultType: "input_required" });
    expect((await sent(scout, {})).structuredContent).toMatchObject({ state: "open" });
    expect((await sent(other, capabilities)).structuredContent).toMatchObject({ state: "open" });
    await begin({ question_forms: false });
    const here = await ask();
    await using asker = (await CLIENTS["a 2025-11-25 client"]?.(
      hub.url,
      scout ?? "",
      accept({ answer: "x" }),
    )) as Asker;
    const waiting = asker.wait(here);
    await answer(here, "Prague");
    expect(await waiting).toMatchObject({ answer: "Prague", answered_by: "ana" });
  });
});
