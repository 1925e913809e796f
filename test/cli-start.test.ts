/** Commands start the hub of their data folder when none runs. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Ended, Ground } from "../src/testing/process.ts";

let ground: Ground;
beforeEach(() => {
  ground = new Ground();
});
afterEach(() => ground[Symbol.asyncDispose]());

const log = (): string => readFileSync(join(ground.home, "hub.log"), "utf8");

test("the first command starts the hub, the second finds it, and it outlives both", async () => {
  const sent = await ground.json<{ id: string }>(["chat", "send", "hello"]);
  const status = await ground.json<{ pid: number }>(["status"]);
  expect(await ground.json(["chat", "read"])).toMatchObject({ messages: [{ id: sent.id, content: "hello" }] });
  expect(await ground.json(["status"])).toMatchObject({ status: "ready", pid: status.pid });
});

test("twenty commands at once start one hub, and all of them succeed", async () => {
  const commands = Array.from({ length: 20 }, (_, n) => ground.parley(["chat", "send", `hello ${n}`, "--json"]));
  const results: Ended[] = await Promise.all(commands);
  expect(results.filter(({ code }) => code !== 0)).toEqual([]);

  const page = await ground.json<{ messages: { content: string }[] }>(["chat", "read"]);
  expect(page.messages.map(({ content }) => content).sort()).toEqual(
    Array.from({ length: 20 }, (_, n) => `hello ${n}`).sort(),
  );
  expect(log().match(/Parley is ready at/g)).toHaveLength(1);
  expect(readdirSync(ground.home)).not.toContain("start.lock");
});

test("a hub that was killed, and a lock left by a command that was killed, are in nobody's way", async () => {
  const hub = await ground.serve();
  await ground.json(["chat", "send", "before"]);
  await hub.kill("SIGKILL");
  expect(existsSync(join(ground.home, "hub.json"))).toBe(true);
  writeFileSync(join(ground.home, "start.lock"), `${hub.pid}\n`);

  await ground.json(["chat", "send", "after"]);
  expect(await ground.json(["chat", "read"])).toMatchObject({
    messages: [{ content: "before" }, { content: "after" }],
  });
});

test("a message whose acknowledgement was lost with the hub is sent once, by the next hub", async () => {
  const hub = await ground.serve([], { PARLEY_FAILPOINT: "post.before_ack:kill:1" });
  const sent = await ground.json<{ id: string }>(["chat", "send", "exactly once"]);
  expect(hub.child.signalCode).toBe("SIGKILL");
  const page = await ground.json<{ messages: object[] }>(["chat", "read"]);
  expect(page.messages).toEqual([expect.objectContaining({ id: sent.id, content: "exactly once" })]);
});

test("when it cannot find out whether it was sent, it says so, and with which key to ask again", async () => {
  const hub = await ground.serve([], { PARLEY_FAILPOINT: "post.before_ack:kill:1" });
  const token = readFileSync(join(hub.home, "admin.token"), "utf8").trim();
  const env = { PARLEY_TOKEN: token };
  const { code, stderr } = await ground.parley(["chat", "send", "hello", "--url", hub.url, "--json"], { env });
  expect(code).toBe(1);
  const { error } = JSON.parse(stderr);
  expect(error.code).toBe("OUTCOME_UNKNOWN");

  const key = /--key (\S+?):/.exec(error.message)?.[1] ?? "";
  await ground.json(["chat", "send", "hello", "--key", key]);
  const page = await ground.json<{ messages: object[] }>(["chat", "read"]);
  expect(page.messages).toHaveLength(1);
});

test("a command that comes while the hub stops is served by the next one", async () => {
  await ground.serve();
  const [stopped, sent] = await Promise.all([ground.json(["stop"]), ground.parley(["chat", "send", "in between"])]);
  expect(stopped).toMatchObject({ stopped: true });
  expect(sent).toMatchObject({ code: 0, stderr: "" });
  const page = await ground.json<{ messages: { content: string }[] }>(["chat", "read"]);
  expect(page.messages.map(({ content }) => content)).toEqual(["in between"]);
});

test("a hub that cannot start is reported with the last lines of its log and its exit code", async () => {
  const { code, stdout, stderr } = await ground.parley(["whoami"], { env: { PARLEY_PORT: "nonsense" } });
  expect([code, stdout]).toEqual([78, ""]);
  const { error } = JSON.parse(stderr);
  expect(error.code).toBe("HUB_UNREACHABLE");
  expect(error.message).toContain("The hub could not be started (exit code 78).");
  expect(error.message).toContain('"nonsense"');
  expect(error.message).toContain(join(ground.home, "hub.log"));
});

test.each(["file/home", "/proc/parley/home"])(
  "a data folder %s that cannot be made is reported with exit code 78",
  async (path) => {
    writeFileSync(join(ground.folder, "file"), "");
    const home = resolve(ground.folder, path);
    const { code, stderr } = await ground.parley(["whoami", "--home", home]);
    expect([code, JSON.parse(stderr).error.message]).toEqual([78, expect.stringContaining(home)]);
  },
);

test("status, stop and commands for a hub elsewhere start nothing", async () => {
  mkdirSync(ground.home);
  expect((await ground.parley(["status"])).code).toBe(1);
  expect((await ground.parley(["stop"])).code).toBe(0);
  const env = { PARLEY_URL: "http://127.0.0.1:1", PARLEY_TOKEN: "x" };
  expect((await ground.parley(["whoami"], { env })).code).toBe(1);
  expect(
    (await ground.parley(["chat", "tail", "--url", "http://127.0.0.1:1", "-n", "1"], { env: { PARLEY_TOKEN: "x" } }))
      .code,
  ).toBe(1);
  expect(readdirSync(ground.home)).toEqual([]);
});

test("the hub that a command starts is not told as whom the command acts", async () => {
  await ground.serve();
  const { token } = await ground.json<{ token: string }>(["token", "create", "--role", "agent", "--name", "scout"]);
  await ground.json(["stop"]);
  expect(await ground.json(["whoami"], { env: { PARLEY_TOKEN: token } })).toMatchObject({ principal: "scout" });
  const { pid } = await ground.json<{ pid: number }>(["status"]);
  expect(readFileSync(`/proc/${pid}/environ`, "utf8")).not.toContain(token);
});

test("a folder that was typed takes the environment's token if that is for its own hub, and no other", async () => {
  const { url } = await ground.serve();
  const { token } = await ground.json<{ token: string }>(["token", "create", "--role", "agent", "--name", "scout"]);
  const whoami = (PARLEY_URL: string) =>
    ground.json(["whoami", "--home", ground.home], { env: { PARLEY_URL, PARLEY_TOKEN: token } });
  expect(await whoami(url)).toMatchObject({ principal: "scout" });
  expect(await whoami("http://127.0.0.1:1")).toMatchObject({ principal: "admin" });
});
