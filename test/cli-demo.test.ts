/** `parley demo`: a chat that is alive without any model. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isAlive } from "../src/local/processes.ts";
import { ended, Ground, until } from "../src/testing/process.ts";

interface Started {
  agent: string;
  pid: number;
  token_id: string;
}
interface Message {
  author: string;
  author_principal: string;
  content: string;
}

let ground: Ground;
beforeEach(() => {
  ground = new Ground();
});
afterEach(async () => {
  // It is no child of ours.
  await ground.parley(["demo", "--stop"]);
  await ground[Symbol.asyncDispose]();
});

const messages = async (): Promise<Message[]> =>
  (await ground.json<{ messages: Message[] }>(["chat", "read", "--limit", "500"])).messages;
const said = async (): Promise<string[]> =>
  (await messages()).filter(({ author }) => author === "assistant").map(({ content }) => content);
/** Beside its greeting. */
const answers = async (): Promise<string[]> => (await said()).filter((content) => !content.startsWith("Hello!"));
const say = (text: string) => ground.json(["chat", "send", "--agent", "demo", text]);
const lifecycle = async (): Promise<string | undefined> =>
  (await ground.json<{ agents: { name: string; lifecycle: string }[] }>(["agent", "list"])).agents.find(
    ({ name }) => name === "demo",
  )?.lifecycle;
const tokenOf = async (id: string) =>
  (await ground.json<{ tokens: { id: string; revoked_at: string | null }[] }>(["token", "list"])).tokens.find(
    (token) => token.id === id,
  );

test("speaks first where nothing was said yet, and only there", async () => {
  await ground.json(["demo"]);
  await until(async () => (await said()).length === 1);
  expect(await said()).toEqual([expect.stringContaining("**ask** asks you something")]);
  await ground.json(["demo", "--stop"]);
  await ground.json(["demo"]);
  await say("echo one");
  await until(async () => (await answers()).length === 1);
  expect(await said()).toHaveLength(2);
});

test("files a task, and asks a question whose answer it goes on with", async () => {
  await ground.json(["demo"]);
  for (const text of ["task Count them", "ask"]) await say(text);
  const asked = await until(async () => {
    const { questions } = await ground.json<{ questions: { id: string; question: string }[] }>(["question", "list"]);
    return questions[0];
  });
  expect(asked.question).toBe("Which city shall I look at?");
  await ground.json(["answer", asked.id, "Brno"]);
  await until(async () => (await answers()).length === 2);
  expect(await answers()).toEqual([expect.stringContaining("filed"), "**Brno** it is. Thank you!"]);
  const { tasks } = await ground.json<{ tasks: { content: string }[] }>(["task", "list"]);
  expect(tasks).toMatchObject([{ content: "Count them" }]);
  const { items } = await ground.json<{ items: { kind: string; tool?: string }[] }>(["timeline", "demo"]);
  expect(items.flatMap(({ tool }) => tool ?? [])).toEqual(
    expect.arrayContaining(["task_create", "add_question", "question_wait"]),
  );
});

test("brings what it does without asking as rules behind everybody else's, and --stop takes them away again", async () => {
  const policy = async () => (await ground.json<{ words: string[] }>(["policy", "show"])).words;
  await ground.json(["demo"]);
  const brought = await policy();
  expect(brought).toHaveLength(3);
  expect(brought[0]).toBe("demo may use add_question of parley without asking (parley demo).");
  expect(brought).not.toContainEqual(expect.stringContaining("runtime_exec"));
  await ground.json(["demo", "--stop"]);
  expect(await policy()).toEqual(["Everything else is asked about."]);
});

test("runs a program only once a person has approved it", async () => {
  await ground.json(["demo"]);
  const asked = () =>
    until(async () => {
      const args = ["approvals", "list", "--state", "pending"];
      return (await ground.json<{ approvals: { id: string; tool: string }[] }>(args)).approvals[0];
    });
  await say("run");
  const first = await asked();
  expect(first.tool).toBe("runtime_exec");
  await ground.json(["approvals", "decide", "deny", first.id, "--reason", "Not today."]);
  await until(async () => (await answers()).length === 1);
  await say("run");
  await ground.json(["approvals", "decide", "approve", (await asked()).id]);
  await until(async () => (await answers()).length === 2);
  expect(await answers()).toEqual([
    expect.stringContaining("Not today."),
    expect.stringMatching(/^You let me, and it printed: .*\d\d:\d\d/),
  ]);
});

test("answers each of its words by its rule, once and in order, and everything else with a hint", async () => {
  const started = await ground.json<Started>(["demo"]);
  expect(started).toMatchObject({ agent: "demo", pid: expect.any(Number) });
  for (const text of ["help", "Echo: one two", "time", "code", "markdown", "long 30", "what is love?"]) await say(text);
  await until(async () => (await answers()).length === 7);
  const [help, echo, time, code, markdown, long, other] = await answers();
  expect(help).toContain("**echo**");
  expect(echo).toBe("one two");
  expect(time).toMatch(/\d{4}-\d\d-\d\dT/);
  expect(code).toContain("```ts");
  expect(markdown).toMatch(/^# A heading/);
  expect(long).toContain("Line 30 of 30");
  expect(other).toContain("**help**");
  expect(
    (await messages()).every(
      ({ author, author_principal }) => (author === "assistant") === (author_principal === "demo"),
    ),
  ).toBe(true);
});

test("runs once however often it is started, and --stop ends it and takes its token back", async () => {
  const started = await ground.json<Started>(["demo"]);
  expect(await ground.json<Started>(["demo"])).toEqual(started);
  expect(statSync(join(ground.home, "demo.json")).mode & 0o777).toBe(0o600);
  expect(await lifecycle()).toBe("ready");
  expect(await ground.json(["demo", "--stop"])).toEqual({ stopped: true, agent: "demo", pid: started.pid });
  expect(isAlive(started.pid)).toBe(false);
  expect(await lifecycle()).toBe("stopped");
  expect((await tokenOf(started.token_id))?.revoked_at).toMatch(/Z$/);
  expect(await ground.json(["demo", "--stop"])).toEqual({ stopped: false });
  await say("help");
  const again = await ground.json<Started>(["demo"]);
  expect(again.token_id).not.toBe(started.token_id);
  // What was said while it was away is answered when it is back.
  await until(async () => (await answers()).length === 1);
});

test("--remove leaves nothing of it that anybody is shown or asked about, and the next one is another", async () => {
  const before = await ground.json(["policy", "show"]);
  const started = await ground.json<Started>(["demo"]);
  // Beside its words those are all that leave something behind.
  for (const text of ["task Count them", "note Brno has 98", "ask"]) await say(text);
  const needs = async () => (await ground.json<{ needs: object[] }>(["needs"])).needs;
  await until(async () => (await needs()).length === 1);
  expect(await ground.json(["demo", "--remove"])).toEqual({
    ...{ removed: true, agent: "demo", pid: started.pid, tasks_cancelled: 1 },
  });
  expect(isAlive(started.pid)).toBe(false);
  expect((await tokenOf(started.token_id))?.revoked_at).toMatch(/Z$/);
  expect(await needs()).toEqual([]);
  expect((await ground.json<{ agents: object[] }>(["agent", "list"])).agents).toEqual([]);
  expect((await ground.json<{ tasks: object[] }>(["task", "list"])).tasks).toEqual([]);
  expect((await ground.json<{ notes: object[] }>(["note", "list"])).notes).toEqual([]);
  expect(await ground.json(["policy", "show"])).toMatchObject({ words: Object(before).words });
  expect(await ground.json(["demo", "--remove"])).toMatchObject({ removed: false });
  expect(await ground.json<Started>(["demo"])).toMatchObject({ agent: "demo-2" });
});

test("--remove takes it away also where it is whom people speak to who name nobody, and somebody else is from then on", async () => {
  await ground.json(["demo"]);
  await ground.json(["token", "create", "--role", "agent", "--name", "scout"]);
  expect(await ground.json(["demo", "--remove"])).toMatchObject({ removed: true, default_agent: "scout" });
  const { agents } = await ground.json<{ agents: object[] }>(["agent", "list"]);
  expect(agents).toMatchObject([{ name: "scout", default: true }]);
});

test("goes on through a restart of the hub, on another port, and answers nothing twice", async () => {
  const hub = await ground.serve();
  await ground.json(["demo"]);
  await say("echo one");
  await until(async () => (await answers()).length === 1);
  await hub.kill("SIGKILL");
  await ground.serve();
  await say("echo two");
  await until(async () => (await answers()).length === 2);
  expect(await answers()).toEqual(["one", "two"]);
});

test("ends with the hub that `parley stop` stops, and its token with it", async () => {
  const started = await ground.json<Started>(["demo"]);
  expect(await ground.json(["stop"])).toMatchObject({ stopped: true, demo_ended: true });
  await until(() => !isAlive(started.pid));
  expect((await tokenOf(started.token_id))?.revoked_at).toEqual(expect.any(String));
  expect(await ground.json(["stop"])).toMatchObject({ stopped: true, demo_ended: false });
});

test("ends by `parley stop` although its hub was killed, and its token with the next one", async () => {
  const started = await ground.json<Started>(["demo"]);
  const { pid } = await ground.json<{ pid: number }>(["status"]);
  process.kill(pid, "SIGKILL");
  await until(() => !isAlive(pid));
  expect(await ground.json(["stop"])).toMatchObject({ stopped: false, demo_ended: true });
  expect(isAlive(started.pid)).toBe(false);
  await ground.json(["demo"]);
  expect((await tokenOf(started.token_id))?.revoked_at).toEqual(expect.any(String));
});

test("one that was killed is cleaned up by --stop, or by the next start", async () => {
  const first = await ground.json<Started>(["demo"]);
  process.kill(first.pid, "SIGKILL");
  await until(() => !isAlive(first.pid));
  await ground.json(["demo", "--stop"]);
  expect([await lifecycle(), (await tokenOf(first.token_id))?.revoked_at]).toEqual(["stopped", expect.any(String)]);
  const second = await ground.json<Started>(["demo"]);
  process.kill(second.pid, "SIGKILL");
  await until(() => !isAlive(second.pid));
  const third = await ground.json<Started>(["demo"]);
  expect(third.pid).not.toBe(second.pid);
  expect((await tokenOf(second.token_id))?.revoked_at).toEqual(expect.any(String));
});

test("in the foreground it ends with Ctrl-C, and its token with it", async () => {
  await ground.serve();
  const child = ground.start(["demo", "--foreground", "--name", "parrot"]);
  const end = ended(child);
  await new Promise((resolve) => child.stdout.once("data", resolve));
  await ground.json(["chat", "send", "--agent", "parrot", "echo hello"]);
  await until(async () => (await answers()).length === 1);
  child.kill("SIGINT");
  expect((await end).code).toBe(0);
  const { tokens } = await ground.json<{ tokens: { principal: string; revoked_at: string | null }[] }>([
    "token",
    "list",
  ]);
  expect(tokens.filter(({ principal }) => principal === "parrot")).toEqual([
    expect.objectContaining({ revoked_at: expect.any(String) }),
  ]);
});

test("ends by itself when its token is revoked, and refuses the name of a person", async () => {
  const { pid, token_id } = await ground.json<Started>(["demo"]);
  await ground.json(["token", "revoke", token_id, "--yes"]);
  await until(() => !isAlive(pid));
  expect(readFileSync(join(ground.home, "demo.log"), "utf8")).toContain("UNAUTHENTICATED");
  await ground.json(["token", "create", "--role", "human", "--name", "ana"]);
  const refused = await ground.parley(["demo", "--name", "ana", "--json"]);
  expect([refused.code, JSON.parse(refused.stderr).error.code]).toEqual([5, "NAME_TAKEN"]);
});
