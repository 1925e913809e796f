import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Between } from "../src/testing/between.ts";
import { type Child, ended, Ground, PARLEY, until } from "../src/testing/process.ts";
import { isWaiting } from "../src/testing/waiting.ts";

/** A person sits before it, as Claude Code says in its hooks' environment. */
const ATTENDED = { CLAUDE_CODE_SESSION_ATTENDED: "1" };

/** An agent with a session, and people who write to it. */
class Scene {
  readonly ground: Ground;
  readonly session: string;
  agent = "";

  constructor(ground: Ground, session = "session-1") {
    this.ground = ground;
    this.session = session;
  }

  async start(): Promise<this> {
    const input = JSON.stringify({ session_id: this.session, source: "startup" });
    const env = { PARLEY_HOOK_MS: "30000" };
    const { stdout } = await this.ground.parley(["hook", "SessionStart"], { input, env });
    this.agent = /You are ([\w.-]+) on Parley/.exec(stdout)?.[1] ?? "";
    expect(this.agent).not.toBe("");
    return this;
  }

  /** As Claude Code starts it, beside the session. */
  waiter(env: Record<string, string> = {}): Child {
    const child = this.ground.start(["wait", "--rewake"], { ...ATTENDED, ...env });
    child.stdin.end(JSON.stringify({ session_id: this.session, hook_event_name: "Stop", stop_hook_active: false }));
    return child;
  }

  /** As the client starts it when a turn ends. */
  async stop(env: Record<string, string> = {}): Promise<string> {
    const input = JSON.stringify({ session_id: this.session, stop_hook_active: false });
    return (await this.ground.parley(["hook", "Stop"], { input, env: { ...ATTENDED, ...env } })).stdout;
  }

  /** As the client runs it when somebody speaks. */
  async prompt(): Promise<string> {
    const input = JSON.stringify({ session_id: this.session, prompt: "Hi" });
    return (await this.ground.parley(["hook", "UserPromptSubmit"], { input, env: { PARLEY_HOOK_MS: "30000" } })).stdout;
  }

  async token(): Promise<string> {
    const args = ["token", "create", "--role", "agent", "--name", this.agent];
    return (await this.ground.json<{ token: string }>(args)).token;
  }

  async mail(subject: string, body = "Please look."): Promise<string> {
    const args = JSON.stringify({ to: [this.agent], subject, body });
    return (await this.ground.json<{ id: string }>(["call", "mail_send", args])).id;
  }
}

/** Ended, or still there after a while in which it would have ended. */
const still = async (child: Child, other: Promise<unknown>): Promise<boolean> => {
  await other;
  return child.exitCode === null;
};

describe("a waiter beside an idle session", () => {
  test("wakes it with the mail in an envelope, by exit code 2 and stderr", async () => {
    await using ground = new Ground({ in_process: true });
    await ground.host();
    const scene = await new Scene(ground).start();
    const waiter = ended(scene.waiter());
    await scene.mail("Build", "It is red.");
    const { code, stdout, stderr } = await waiter;
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^You have 1 unread message:\n\nMail \d+ from admin\n/);
    expect(stderr).toMatch(/<msg-(\w{32}) .*>\nSubject: Build\n\nIt is red\.\n<\/msg-\1>/);
  });

  test("never wakes it for what a hook has shown", async () => {
    await using ground = new Ground({ in_process: true });
    await ground.host();
    const scene = await new Scene(ground).start();
    await scene.mail("Old");
    expect(await scene.stop({ PARLEY_HOOK_MS: "30000" })).toContain("Subject: Old");
    const waiter = ended(scene.waiter());
    await scene.mail("New");
    expect((await waiter).stderr).toMatch(/Subject: New/);
    expect((await waiter).stderr).not.toMatch(/Subject: Old/);
  });

  test("REACH-6: never wakes it for mail that it was told of and that had no room, and wakes it for the next", async () => {
    await using ground = new Ground({ in_process: true });
    const hub = await ground.host();
    const scene = await new Scene(ground).start();
    for (let at = 0; at < 8; at++) await scene.mail(`Old ${at}`);
    expect(await scene.prompt()).toContain("Subject: Old 7");
    const waiter = ended(scene.waiter());
    await until(() => isWaiting(hub));
    await scene.mail("New");
    const { code, stderr } = await waiter;
    expect(code).toBe(2);
    expect(stderr).toContain("Subject: New");
    const next = scene.waiter();
    await until(() => isWaiting(hub));
    expect(next.exitCode).toBeNull();
  });

  test("wakes it for what a hook asked for and was too late to show", async () => {
    await using ground = new Ground({ in_process: true });
    const hub = await ground.host();
    const scene = await new Scene(ground).start();
    const token = await scene.token();
    await scene.mail("Late");
    await using between = await Between.open(hub.url);
    between.before = async ({ path }) => {
      if (path.endsWith("/mail_poll")) await new Promise(() => {});
    };
    // So long that it gets to ask on a busy machine too: of its own it might give up before.
    const env = { PARLEY_URL: between.url, PARLEY_TOKEN: token, PARLEY_HOOK_MS: "5000" };
    expect(await scene.stop(env)).toBe("{}\n");
    expect(between.passed).toContainEqual({ method: "POST", path: "/api/tools/mail_poll", status: 200 });
    const { code, stderr } = await ended(scene.waiter());
    expect(code).toBe(2);
    expect(stderr).toContain("Subject: Late");
  });

  test("wakes it though the answer that brought the mail was lost on its way", async () => {
    await using ground = new Ground({ in_process: true });
    const hub = await ground.host();
    const scene = await new Scene(ground).start();
    const token = await scene.token();
    await using between = await Between.open(hub.url);
    let asked = 0;
    // The first that says that there is some, and the first that brings it.
    between.before = async ({ path }) => {
      if (!path.endsWith("/mail_poll") || ++asked % 2 === 0) return;
      between.cut();
      await new Promise(() => {});
    };
    const waiter = ended(scene.waiter({ PARLEY_URL: between.url, PARLEY_TOKEN: token }));
    await scene.mail("Lost");
    const { code, stderr } = await waiter;
    expect([code, asked]).toEqual([2, 4]);
    expect(stderr).toContain("Subject: Lost");
  });

  test("has noted what it shows before it wakes anybody, so that the same mail does not do so twice", async () => {
    await using ground = new Ground({ in_process: true });
    const hub = await ground.host();
    const scene = await new Scene(ground).start();
    await using between = await Between.open(hub.url);
    let away = false;
    between.before = ({ path }) => {
      if (!path.endsWith("/mail_poll") || away) return;
      away = true;
      between.lead("http://127.0.0.1:9");
    };
    const child = scene.waiter({ PARLEY_URL: between.url, PARLEY_TOKEN: await scene.token() });
    const waiter = ended(child);
    const id = await scene.mail("Once");
    const state = async () =>
      (await ground.json<{ recipients: { state: string }[] }>(["receipts", id])).recipients[0]?.state;
    await until(() => away);
    expect([await state(), child.exitCode]).toEqual(["stored", null]);
    between.lead(hub.url);
    const { code, stderr } = await waiter;
    expect([code, await state()]).toEqual([2, "offered"]);
    expect(stderr.match(/Subject: Once/g)).toHaveLength(1);
  });

  test("outlives a moment in which the hub is asked too much", async () => {
    await using ground = new Ground({ in_process: true });
    const hub = await ground.serve([], { PARLEY_RATE_LIMIT: "1" });
    const scene = await new Scene(ground).start();
    const token = await scene.token();
    await using between = await Between.open(hub.url);
    const headers = { authorization: `Bearer ${token}` };
    const ask = () => fetch(`${hub.url}/api/tools/whoami`, { method: "POST", headers, body: "{}" });
    // Ours are among those that are too many.
    const refused = () => between.passed.some(({ status }) => status === 429);
    // So many that a machine which takes seconds for them refuses some all the same.
    const flooded = async (): Promise<boolean> =>
      (await Promise.all(Array.from({ length: 50 }, ask))).some(({ status }) => status === 429);
    // Before the waiter asks: one that was let in once waits quietly, and is never refused.
    await until(flooded);
    const flood = until(async () => {
      await flooded();
      return refused();
    });
    const waiter = ended(scene.waiter({ PARLEY_URL: between.url, PARLEY_TOKEN: token }));
    await flood;
    await scene.mail("After the rush");
    const { code, stderr } = await waiter;
    expect(code).toBe(2);
    expect(stderr).toContain("Subject: After the rush");
  });

  test("gives way to the next one without a word", async () => {
    await using ground = new Ground({ in_process: true });
    await ground.host();
    const scene = await new Scene(ground).start();
    const first = ended(scene.waiter());
    const second = scene.waiter();
    const woken = ended(second);
    // Whichever of them asked last stays.
    const quiet = await Promise.race([first, woken]);
    expect(quiet).toMatchObject({ code: 0, stdout: "", stderr: "" });
    await scene.mail("For whoever is left");
    const both = await Promise.all([first, woken]);
    expect(both.map(({ code }) => code).sort()).toEqual([0, 2]);
  });

  test("lives through a hub that is killed and started anew, and one that is stopped", async () => {
    await using ground = new Ground({ in_process: true });
    const hub = await ground.serve();
    const scene = await new Scene(ground).start();
    const child = scene.waiter();
    const waiter = ended(child);
    await ground.json(["agent", "list"]);
    await hub.kill("SIGKILL");
    const next = await ground.serve();
    expect(await still(child, ground.json(["agent", "list"]))).toBe(true);
    await next.kill("SIGTERM");
    await ground.serve();
    await scene.mail("After all that");
    const { code, stderr } = await waiter;
    expect(code).toBe(2);
    expect(stderr).toContain("Subject: After all that");
  });

  test("ends with its session, and is not there where the client waits for mail itself", async () => {
    await using ground = new Ground({ in_process: true });
    const hub = await ground.host();
    const scene = await new Scene(ground).start();
    const waiter = ended(scene.waiter());
    await until(() => isWaiting(hub));
    const input = JSON.stringify({ session_id: scene.session, reason: "clear" });
    await ground.parley(["hook", "SessionEnd"], { input, env: { PARLEY_HOOK_MS: "30000" } });
    expect(await waiter).toMatchObject({ code: 0, stderr: "" });
    const second = ground.start(["wait", "--rewake"], ATTENDED);
    const background_tasks = [{ type: "MCP task", server: "parley", tool: "mail_wait", status: "running" }];
    second.stdin.end(JSON.stringify({ session_id: scene.session, background_tasks }));
    expect(await ended(second)).toMatchObject({ code: 0, stderr: "" });
  });

  test("ends with the client that started it", async () => {
    await using ground = new Ground({ in_process: true });
    const hub = await ground.host();
    const pidFile = join(ground.folder, "pid");
    const input = join(ground.folder, "input.json");
    writeFileSync(input, JSON.stringify({ session_id: "a-session-of-its-own" }));
    // A client that is killed leaves what it started to somebody else.
    const script = `${PARLEY} wait --rewake < ${input} & printf %s $! > ${pidFile}; read never`;
    const client = spawn("/bin/sh", ["-c", script], { env: ground.env(ATTENDED), stdio: ["pipe", "pipe", "pipe"] });
    ground.watch(client);
    const pid = Number(await until(() => read(pidFile)));
    await until(() => isWaiting(hub));
    expect(isThere(pid)).toBe(true);
    client.kill("SIGKILL");
    await until(() => !isThere(pid));
  });

  test.each([
    ["nothing on stdin", ""],
    ["no JSON", "{"],
    ["no session", "{}"],
    ["a session that is none", '{"session_id":"with blanks"}'],
  ])("wakes nobody when it is given %s", async (_, input) => {
    await using ground = new Ground({ in_process: true });
    const { code, stdout } = await ground.parley(["wait", "--rewake"], { input, env: ATTENDED });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  });

  test("wakes nobody when it may not ask", async () => {
    await using ground = new Ground({ in_process: true });
    const { url } = await ground.host();
    const env = { ...ATTENDED, PARLEY_URL: url, PARLEY_TOKEN: `parley_${"x".repeat(43)}` };
    const { code } = await ground.parley(["wait", "--rewake"], { input: '{"session_id":"s"}', env });
    expect(code).toBe(0);
  });
});

describe("a waiter where nobody sits before the session", () => {
  test.each<[string, Record<string, string>]>([
    ["claude -p", { CLAUDE_CODE_SESSION_ATTENDED: "0", CLAUDE_CODE_ENTRYPOINT: "sdk-cli" }],
    ["a client that says neither", {}],
    ["an older client that was not started in a terminal", { CLAUDE_CODE_ENTRYPOINT: "sdk-ts" }],
  ])("ends at once, with or without a hub: %s", async (_, env) => {
    await using ground = new Ground({ in_process: true });
    const run = () => {
      const child = ground.start(["wait", "--rewake"], env);
      // Its stdin stays open, as of a client that waits for it.
      child.stdin.write(JSON.stringify({ session_id: "session-1", hook_event_name: "Stop" }));
      return ended(child);
    };
    expect(await run()).toMatchObject({ code: 0, stdout: "", stderr: "" });
    await ground.host();
    await new Scene(ground).start();
    expect(await run()).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });
});

describe("wait", () => {
  test("ends at once when there is mail, else when it comes, and marks nothing", async () => {
    await using ground = new Ground({ in_process: true });
    await ground.host();
    const scene = await new Scene(ground).start();
    const args = ["wait", "--session-id", scene.session, "--json"];
    const waiting = ground.parley(args);
    const id = await scene.mail("One");
    const came = JSON.parse((await waiting).stdout);
    expect(came).toMatchObject({ agent: scene.agent, ended: "mail", messages: [{ id, subject: "One" }], unread: 1 });
    expect(JSON.parse((await ground.parley(args)).stdout)).toMatchObject({ messages: [{ id, offered: 1 }] });
    const late = await ground.parley([...args, "--fresh", "--timeout", "100ms"]);
    expect(JSON.parse(late.stdout)).toMatchObject({ messages: [], ended: "time" });
    expect(late.code).toBe(0);
  });

  test("leaves mail new that it could not print", async () => {
    await using ground = new Ground({ in_process: true });
    await ground.host();
    const scene = await new Scene(ground).start();
    const id = await scene.mail("One");
    const args = `wait --fresh --timeout 30s --session-id ${scene.session}`;
    const full = spawn("/bin/sh", ["-c", `${PARLEY} ${args} > /dev/full`], { env: ground.env(), stdio: "pipe" });
    expect((await ended(ground.watch(full))).code).toBe(1);
    const { stdout } = await ground.parley([...args.split(" "), "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ messages: [{ id, offered: 0 }] });
  });

  test("has no time of its own beside a client, and says so without waking anybody", async () => {
    await using ground = new Ground({ in_process: true });
    const { code, stderr } = await ground.parley(["wait", "--rewake", "--timeout", "10m"], { env: ATTENDED });
    expect(code).toBe(1);
    expect(stderr).toContain("leave out --timeout");
  });

  test("takes no time that is none", async () => {
    await using ground = new Ground({ in_process: true });
    const { code, stderr } = await ground.parley(["wait", "--timeout", "soon"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--timeout takes a time such as 55s");
  });
});

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Not written yet.
    return undefined;
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
