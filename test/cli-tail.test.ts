/** `chat tail` follows a chat through everything that happens to the hub. */
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Child, ended, Ground, until } from "../src/testing/process.ts";

let ground: Ground;
beforeEach(() => {
  ground = new Ground({ in_process: true });
});
afterEach(() => ground[Symbol.asyncDispose]());

const send = (...args: string[]): Promise<{ id: string }> => ground.json(["chat", "send", ...args]);

function follow(...args: string[]): { child: Child; heard: string[]; ids: string[] } {
  const child = ground.start(["chat", "tail", "--json", ...args]);
  const heard: string[] = [];
  const ids: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, content } = JSON.parse(line);
    ids.push(id);
    heard.push(content);
  });
  return { child, heard, ids };
}

test("prints what was said and what is being said, one JSON document a line", async () => {
  await ground.host();
  await send("one");
  const { heard } = follow();
  await until(() => heard.length === 1);
  await send("two\nlines");
  await until(() => heard.length === 2);
  expect(heard).toEqual(["one", "two\nlines"]);
});

test("starts after the message it is given, and hears people and agents of the chat it is asked for alone", async () => {
  await ground.host();
  const { token } = await ground.json<{ token: string }>(["token", "create", "--role", "agent", "--name", "scout"]);
  await ground.json(["agent", "register", "mason"]);
  const { id } = await send("--agent", "scout", "before");
  const { heard } = follow("--agent", "scout", "--after", id);
  await send("--agent", "mason", "not for scout");
  await send("--agent", "scout", "hello");
  await ground.json(["call", "chat_assistant_post", '{"content":"hello, ana"}'], { env: { PARLEY_TOKEN: token } });
  await until(() => heard.length === 2);
  expect(heard).toEqual(["hello", "hello, ana"]);
});

test("shows a person the last few messages first, and no more", async () => {
  await ground.host();
  for (const text of ["one", "two", "three"]) await send(text);
  const child = ground.start(["chat", "tail", "--format", "text", "--lines", "2"]);
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
  });
  await until(() => shown.includes("  three\n"));
  await send("four");
  await until(() => shown.includes("  four\n"));
  expect(shown).not.toContain("one");
  expect(shown.match(/^ {2}\w+$/gm)).toEqual(["  two", "  three", "  four"]);
});

test("misses and repeats nothing while the hub is killed and started again on another port", {
  timeout: 180_000,
}, async () => {
  const { heard, ids } = follow();
  await until(() =>
    ground.json(["status"]).then(
      () => true,
      () => false,
    ),
  );
  // One that is still about to find the hub it started would end with it.
  const said = ["first"];
  await send("first");
  await until(() => heard.length === 1);
  await ground.json(["stop"]);

  for (let round = 0; round < 4; round++) {
    const hub = await ground.serve();
    for (let n = 0; n < 3; n++) {
      said.push(`${round}.${n}`);
      await send(`${round}.${n}`);
      // Killed at once after the last one: nobody waits until the tail has heard of it.
    }
    await hub.kill("SIGKILL");
  }
  await ground.serve();
  await until(() => heard.length >= said.length);
  expect(heard).toEqual(said);
  expect(new Set(ids).size).toBe(said.length);
});

test("ends with exit code 3 when its token is revoked", async () => {
  await ground.host();
  const { token, id } = await ground.json<{ token: string; id: string }>([
    "token",
    "create",
    "--role",
    "human",
    "--name",
    "ana",
  ]);
  await send("hello");
  const child = ground.start(["chat", "tail", "--json"], { PARLEY_TOKEN: token });
  const end = ended(child);
  await new Promise((done) => child.stdout.once("data", done));
  await ground.json(["token", "revoke", id, "--yes"]);
  expect(await end).toMatchObject({ code: 3, stderr: expect.stringContaining("UNAUTHENTICATED") });
});

test("does not start a hub that somebody stopped, and goes on when it is back", async () => {
  await ground.serve();
  await send("one");
  const { heard } = follow();
  await until(() => heard.length === 1);
  await ground.json(["stop"]);
  expect((await ground.parley(["status"])).code).toBe(1);
  await ground.serve();
  await send("two");
  await until(() => heard.length === 2);
  expect(heard).toEqual(["one", "two"]);
});
