/** Servers that are programs and addresses, of both eras, and that misbehave: the tools of the others are there all the same. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { listProcesses } from "../../local/process-table.ts";
import { TOOL_SERVER } from "../../testing/agents/tool-server.ts";
import type { ToolResult, Toolset } from "../toolset.ts";
import { Compositor } from "./compositor.ts";
import { parseServers } from "./config.ts";
import { execMount } from "./exec.ts";
import { mcpMount } from "./mcp-server.ts";
import { EXEC_SERVER, MOUNT_COOKIE, type MountSpec } from "./server.ts";

const NOBODY = new AbortController().signal;

/** What the hub has, as far as it matters here. */
const hub: Toolset = {
  list: () => [{ name: "task_create", description: "", input_schema: {} }],
  call: async ({ tool }) => ({ outcome: "failed", output: `the hub was asked for ${tool}` }),
  originOf: () => undefined,
  mounts: () => ({ chat: { state: "running" } }),
  takeChanges: () => [],
};

const program = (mode = "plain", more: object = {}) => ({
  command: process.execPath,
  args: [TOOL_SERVER, mode],
  ...more,
});
const specs = (servers: Record<string, object>): Map<string, MountSpec> =>
  new Map(
    [...parseServers(JSON.stringify({ mcpServers: servers }))].map(([name, spec]) => [name, mcpMount(name, spec)]),
  );

describe("a compositor", () => {
  let mounted: Compositor;
  let changes = 0;
  beforeEach(() => {
    changes = 0;
    const changed = (): void => {
      changes += 1;
    };
    mounted = new Compositor({ hub, changed, pace: { first_ms: 20, most_ms: 100 } });
  });
  afterEach(() => mounted[Symbol.asyncDispose]());

  const mount = async (servers: Record<string, object>): Promise<void> => {
    await mounted.reconfigure(specs(servers));
    await mounted.settled(60_000);
  };
  const names = (): string[] => mounted.list().map(({ name }) => name);
  const run = (tool: string, args: unknown = {}, signal = NOBODY): Promise<ToolResult> => {
    const call = { call_id: "1", tool, arguments: JSON.stringify(args) };
    return mounted.call(call, { signal, turn_id: "1", mount: mounted.originOf(call)?.mount });
  };
  const stateOf = (name: string) => mounted.mounts()[name];

  test("MOUNT-1: tools are there as {server}_{tool}, dots as _, beside those of the hub", async () => {
    await mount({ files: program() });
    expect(stateOf("files")).toEqual({ state: "running" });
    expect(names()).toContain("task_create");
    expect(names().filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([]);
    expect(await run("files_notes_write", { a: 1 })).toEqual({ outcome: "done", output: '{"a":1}' });
    expect(await run("task_create")).toMatchObject({ output: "the hub was asked for task_create" });
    expect(await run("files_unheard_of")).toMatchObject({ outcome: "failed" });
    expect(await run("files_echo", [1])).toMatchObject({ output: expect.stringContaining("INVALID_JSON") });
  });

  test("what a server says of its tools, and that a program may do anything, comes along, and no model is told", async () => {
    await mounted.reconfigure(new Map([...specs({ files: program() }), [EXEC_SERVER, execMount(tmpdir())]]));
    await mounted.settled(60_000);
    const hintsOf = (tool: string) => mounted.originOf({ tool, arguments: "{}" })?.hints;
    expect(hintsOf("files_notes_write")).toEqual(["destructive", "open_world"]);
    expect(hintsOf("files_env")).toEqual(["read_only"]);
    expect(hintsOf("files_echo")).toEqual([]);
    expect(hintsOf("runtime_exec")).toEqual(["destructive", "open_world"]);
    expect(mounted.list().filter((spec) => "hints" in spec)).toEqual([]);
  });

  test("a tool named constructor is one like any other, and no object's own is one", async () => {
    await mount({ files: program(), constructor: program() });
    expect(await run("files_constructor", { b: 2 })).toEqual({ outcome: "done", output: '["constructor",{"b":2}]' });
    expect(await run("constructor_echo", {})).toMatchObject({ outcome: "done" });
    expect(await run("constructor")).toMatchObject({ output: "the hub was asked for constructor" });
    expect(await run("files_toString")).toMatchObject({ outcome: "failed" });
  });

  test("MOUNT-2: names that collide, with the hub, another mount or itself, and names of the hub are refused", async () => {
    await mount({ notes: program("alike"), files: program() });
    expect(stateOf("notes")).toEqual({
      state: "failed",
      error: "Its tool notes_notes_write is one of notes already.",
    });
    expect(stateOf("files")).toEqual({ state: "running" });
    await mount({ a: program() });
    await mount({ a: program(), a_notes: program("write"), task: program("create") });
    expect(stateOf("a")).toEqual({ state: "running" });
    expect(stateOf("a_notes")?.error).toBe("Its tool a_notes_write is one of a already.");
    expect(stateOf("task")?.error).toBe("Its tool task_create is one of the hub already.");
    for (const name of ["chat", "parley", "ui"])
      await expect(mounted.reconfigure(specs({ [name]: program() }))).rejects.toThrow("a name of the hub's own");
    for (const name of ["__proto__", "with space", "", "x".repeat(41)])
      expect(() => parseServers(`{"mcpServers":{${JSON.stringify(name)}:{"command":"x"}}}`)).toThrow("is no name");
  });

  test("a tool whose name no model could call is left out, and said so; too many are refused", async () => {
    await mount({ odd: program("odd"), many: program("many") });
    expect(stateOf("odd")).toMatchObject({ state: "running", error: expect.stringContaining('"with space"') });
    expect(await run("odd_echo")).toMatchObject({ outcome: "done" });
    expect(stateOf("many")).toMatchObject({ state: "failed", error: expect.stringContaining("at most 300") });
  });

  test("MOUNT-3: what is unmounted is gone at once, and what is pinned stays", async () => {
    await mount({ files: program() });
    const told = changes;
    const leaving = mounted.unmount("files");
    expect(names()).toEqual(["task_create"]);
    await leaving;
    expect(changes).toBeGreaterThan(told);
    expect(await run("files_echo")).toMatchObject({ output: "the hub was asked for files_echo" });
    await expect(mounted.unmount("chat")).rejects.toThrow("stays");
  });

  test("MOUNT-4: one that fails says why, the others run, and under its name it is there again", async () => {
    await mount({ broken: program("crash"), missing: { command: "/nowhere/at/all" }, files: program() });
    expect(stateOf("broken")).toMatchObject({ state: "failed", error: expect.stringContaining("licence has expired") });
    expect(stateOf("missing")).toMatchObject({ state: "failed", error: expect.stringContaining("ENOENT") });
    expect(await run("files_echo", { a: 1 })).toMatchObject({ outcome: "done" });
    expect(await run("broken_echo")).toMatchObject({ output: expect.stringContaining("SERVER_AWAY") });
    await mount({ broken: program(), files: program() });
    expect(await run("broken_echo", { a: 1 })).toMatchObject({ outcome: "done" });
  });

  test("MOUNT-4: one that crashes at its work fails that call alone, and comes back by itself", async () => {
    await mount({ files: program(), other: program() });
    const [crashed, went_on] = await Promise.all([run("files_crash"), run("other_echo", { a: 1 })]);
    expect(crashed).toMatchObject({ outcome: "failed", output: expect.stringContaining("SERVER_FAILED") });
    expect(went_on).toMatchObject({ outcome: "done" });
    await expect.poll(() => stateOf("files")?.state).toBe("running");
    expect(await run("files_echo", { a: 2 })).toMatchObject({ outcome: "done" });
  });

  test("one that hangs is given up after its time, or when the turn is aborted, and answers the next call", async () => {
    await mount({ files: program("plain", { timeout: 300 }) });
    expect(await run("files_hang")).toMatchObject({ outcome: "failed", output: expect.stringContaining("timed out") });
    const stop = new AbortController();
    const hanging = run("files_hang", {}, stop.signal);
    stop.abort(new Error("aborted"));
    await expect(hanging).rejects.toThrow("aborted");
    expect(stateOf("files")).toEqual({ state: "running" });
    expect(await run("files_echo", {})).toMatchObject({ outcome: "done" });
  });

  test("one that floods is cut off, and nothing else is", async () => {
    await mount({ files: program(), other: program() });
    expect(await run("files_flood")).toMatchObject({ outcome: "failed" });
    expect(await run("other_echo", {})).toMatchObject({ outcome: "done" });
    await expect.poll(() => stateOf("files")?.state).toBe("running");
  });

  test("one that never says a word holds up nobody", { timeout: 60_000 }, async () => {
    await mounted.reconfigure(specs({ mute: program("mute"), files: program() }));
    await expect.poll(() => stateOf("files")?.state).toBe("running");
    expect(stateOf("mute")).toEqual({ state: "starting" });
    expect(await run("files_echo", {})).toMatchObject({ outcome: "done" });
  });

  test("tools that change in the middle are there at once, however often it is said", async () => {
    await mount({ files: program() });
    expect(names()).not.toContain("files_newest");
    await run("files_change");
    await expect.poll(names).toContain("files_newest");
    expect(await run("files_newest")).toEqual({ outcome: "done", output: "new" });
  });

  test("what a server was given in confidence it cannot repeat: neither in a result nor in its last words", async () => {
    const env = { API_KEY: "sk-very-secret-indeed", PLACE: "/srv/data/place" };
    await mount({ files: program("plain", { env }), broken: program("crash", { env }) });
    expect(await run("files_env", { name: "API_KEY" })).toEqual({ outcome: "done", output: "[secret]" });
    expect(await run("files_env", { name: "PLACE" })).toEqual({ outcome: "done", output: "/srv/data/place" });
    expect(stateOf("broken")?.error).toContain("my licence has expired: [secret]");
  });

  test("nor in what it says of its tools and resources, or has against a question about them", async () => {
    const env = { API_KEY: "sk-very-secret-indeed" };
    await mount({ files: program("boastful", { env }) });
    expect(mounted.list().find(({ name }) => name === "files_echo")).toEqual({
      ...{ name: "files_echo", description: "does echo with [secret]" },
      input_schema: { type: "object", properties: { by: { const: " with [secret]" } } },
    });
    const { resources } = await mounted.resources.list("files", undefined, NOBODY);
    expect(resources[0]?.name).toBe("one with [secret]");
    const follow = mounted.resources.follow({ server: "files", uri: "file:///none" }, NOBODY);
    await expect(follow).rejects.toThrow("There is no file:///none with [secret].");
  });

  test("one whose answer is none fails that call alone, and is not begun anew", async () => {
    await mount({ files: program() });
    await run("files_change");
    await expect.poll(names).toContain("files_newest");
    const [wrong, right] = await Promise.all([run("files_no_result"), run("files_echo", { a: 1 })]);
    expect(wrong).toMatchObject({ outcome: "failed", output: expect.stringContaining("Invalid result") });
    expect(right).toMatchObject({ outcome: "done" });
    expect(stateOf("files")).toEqual({ state: "running" });
    // A program that was started anew would not have it.
    expect(names()).toContain("files_newest");
  });

  test("POLICY-11: a server that forges a code of the policy is shown as one that does", async () => {
    await mount({ files: program() });
    for (const tool of ["files_forge", "files_forge_result"]) {
      const { outcome, output } = await run(tool);
      expect([outcome, JSON.parse(output).code]).toEqual(["failed", -32952]);
      expect(output).not.toContain("denied by the user");
    }
  });

  test("MOUNT-5: that something has changed is told with the mount it came from, once", async () => {
    await mount({ files: program(), other: program() });
    await mounted.resources.follow({ server: "files", uri: "file:///a" }, NOBODY);
    await run("other_touch");
    await run("files_touch");
    await expect.poll(() => mounted.takeChanges()).toEqual([{ server: "files", uri: "file:///a" }]);
    expect(mounted.takeChanges()).toEqual([]);
  });

  test("what nobody follows is not told of, and of what is followed its parts are", async () => {
    await mount({ files: program() });
    await mounted.resources.follow({ server: "files", uri: "file:///a" }, NOBODY);
    await run("files_touch_all");
    await run("files_touch");
    const told: string[] = [];
    await expect
      .poll(() => {
        told.push(...mounted.takeChanges().map(({ uri }) => uri));
        return told;
      })
      .toEqual(["file:///a/part", "file:///a"]);
    await mounted.resources.unfollow({ server: "files", uri: "file:///a" }, NOBODY);
    await run("files_touch_all");
    expect(mounted.takeChanges()).toEqual([]);
  });

  test("MOUNT-6: what is another is mounted anew, and what is the same goes on undisturbed", async () => {
    await mount({ files: program(), other: program() });
    await run("other_change");
    await expect.poll(names).toContain("other_newest");
    const before = mounted.originOf({ tool: "files_echo", arguments: "{}" })?.mount;
    await mount({ files: program("plain", { env: { MORE: "1" } }), other: program(), third: program() });
    await expect.poll(() => stateOf("files")?.state).toBe("running");
    expect(mounted.originOf({ tool: "files_echo", arguments: "{}" })?.mount).not.toBe(before);
    // A program that was started anew would not have it.
    expect(names()).toContain("other_newest");
    expect(names()).toContain("third_echo");
    await mount({});
    expect(names()).toEqual(["task_create"]);
  });

  test("a call that was let through for another server, or for none, is not run", async () => {
    await mount({ files: program() });
    const call = { call_id: "1", tool: "files_echo", arguments: "{}" };
    for (const mount of [undefined, "another"])
      expect(await mounted.call(call, { signal: NOBODY, turn_id: "1", mount })).toMatchObject({
        outcome: "failed",
        output: expect.stringContaining("SERVER_CHANGED"),
      });
  });

  test("a program is given what every program has and what its entry says, and no secret of ours", async () => {
    process.env.PARLEY_TOKEN = "secret";
    onTestFinished(() => void delete process.env.PARLEY_TOKEN);
    await mount({ files: program("plain", { env: { OWN: "1" } }) });
    const { output } = await run("files_env");
    expect(JSON.parse(output)).toContain("OWN");
    expect(output).not.toContain("PARLEY_TOKEN");
  });

  test("the built-in exec runs a program in its folder, without a shell, within its bounds", async () => {
    const folder = mkdtempSync(join(tmpdir(), "parley-exec-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    await mounted.reconfigure(new Map([[EXEC_SERVER, execMount(folder)]]));
    await mounted.settled();
    const node = (code: string, more: object = {}) =>
      run("runtime_exec", { cmd: [process.execPath, "-e", code], ...more });
    const { outcome, output } = await node("console.log(process.cwd(), process.argv[1])");
    expect([outcome, JSON.parse(output).exit_code]).toEqual(["done", 0]);
    expect(JSON.parse(output).stdout).toContain(folder);
    expect(await run("runtime_exec", { cmd: ["echo", "$HOME; ls"] })).toMatchObject({
      output: expect.stringContaining("$HOME; ls"),
    });
    expect(JSON.parse((await node("process.exit(7)")).output)).toMatchObject({ exit_code: 7 });
    expect(JSON.parse((await node("setInterval(() => {}, 1000)", { timeout_seconds: 1 })).output)).toMatchObject({
      timed_out: true,
      ended_by: "SIGKILL",
    });
    const flood = JSON.parse((await node("process.stdout.write('x'.repeat(1e6))")).output);
    expect(flood.stdout.length).toBeLessThan(140_000);
    expect(flood.stdout).toContain("1000000 bytes in all");
    expect(await run("runtime_exec", { cmd: ["/nowhere/at/all"] })).toMatchObject({ outcome: "failed" });
    expect(await run("runtime_exec", { cmd: "ls" })).toMatchObject({ output: expect.stringContaining("cmd") });
    const stop = new AbortController();
    const running = run("runtime_exec", { cmd: [process.execPath, "-e", "setInterval(() => {}, 1000)"] }, stop.signal);
    stop.abort(new Error("aborted"));
    await expect(running).rejects.toThrow("aborted");
  });

  test("RUN-15: a child that has left the group of what exec runs neither holds it up nor outlives it, at its end, its time limit or an abort", async () => {
    await mounted.reconfigure(new Map([[EXEC_SERVER, execMount(tmpdir(), "testmark")]]));
    await mounted.settled();
    const left = async () => (await listProcesses(MOUNT_COOKIE)).filter(({ mark }) => mark?.startsWith("testmark."));
    const away = `require("node:child_process").spawn("sleep", ["60"], { detached: true, stdio: "inherit" });`;
    const from = performance.now();
    const over = await run("runtime_exec", { cmd: ["setsid", "sleep", "60"], timeout_seconds: 30 });
    expect([JSON.parse(over.output), await left()]).toMatchObject([{ timed_out: false }, []]);
    const lasting = [process.execPath, "-e", `${away} setInterval(() => {}, 1000)`];
    const late = await run("runtime_exec", { cmd: lasting, timeout_seconds: 1 });
    expect([JSON.parse(late.output), await left()]).toMatchObject([{ timed_out: true, ended_by: "SIGKILL" }, []]);
    const stop = new AbortController();
    const aborted = run("runtime_exec", { cmd: lasting }, stop.signal);
    await expect.poll(async () => (await left()).length).toBeGreaterThan(2);
    stop.abort(new Error("aborted"));
    await expect(aborted).rejects.toThrow("aborted");
    expect(await left()).toEqual([]);
    expect(performance.now() - from).toBeLessThan(30_000);
  });
});
