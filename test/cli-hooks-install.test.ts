import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Ended, Ground, PARLEY } from "../src/testing/process.ts";

interface Group {
  matcher?: string;
  hooks: { type: string; command: string; timeout: number; asyncRewake?: boolean }[];
}
type Settings = { hooks: Record<string, Group[]> };

const settingsOf = (ground: Ground, path = ".claude/settings.json"): string => join(ground.folder, path);
const read = (path: string): Settings => JSON.parse(readFileSync(path, "utf8"));

function put(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** A program on the PATH that answers as the real one would. */
function program(ground: Ground, name: string, script: string): Record<string, string> {
  const bin = join(ground.folder, "bin");
  chmodSync(put(join(bin, name), `#!/bin/sh\n${script}\n`), 0o755);
  return { PATH: `${bin}:${process.env.PATH}` };
}

const error = ({ stderr }: Ended): { code: string; message: string } => JSON.parse(stderr).error;

describe("hooks install", () => {
  test.each(["install", "uninstall"])(
    "%s changes nothing where nobody can be asked, unless told --yes",
    async (what) => {
      await using ground = new Ground();
      const path = settingsOf(ground);
      if (what === "uninstall") await ground.json(["hooks", "install", "--yes"]);
      const before = existsSync(path) && readFileSync(path, "utf8");
      const refused = await ground.parley(["hooks", what]);
      expect(refused.code).toBe(2);
      expect(error(refused).message).toContain("say --yes, or --dry-run");
      expect(existsSync(path) && readFileSync(path, "utf8")).toBe(before);
      expect(await ground.json(["hooks", what, "--yes"])).toMatchObject({ changed: true });
    },
  );

  test.each(["install", "uninstall"])("%s is refused to agents, whoever's token they have", async (what) => {
    await using ground = new Ground();
    for (const env of [{ CLAUDECODE: "1" }, { CODEX_THREAD_ID: "t" }, { CLAUDECODE: "1", PARLEY_TOKEN: "parley_x" }]) {
      const refused = await ground.parley(["hooks", what, "--yes"], { env });
      expect({ env, code: refused.code }).toEqual({ env, code: 3 });
      expect(error(refused).message).toMatch(/is set, so an agent runs this/);
    }
    expect(existsSync(settingsOf(ground))).toBe(false);
  });

  test("shows the change, makes it, says so, and takes it back to the byte", async () => {
    await using ground = new Ground();
    const mine = '{\n   "model": "opus",\n   "hooks": {}\n}';
    const path = put(settingsOf(ground), mine);
    const dry = await ground.parley(["hooks", "install", "--dry-run", "--format", "text"]);
    expect(dry.stdout).toMatch(/^\+ {7}"Stop": \[$/m);
    expect(dry.stdout).toContain("Nothing was changed.");
    expect(readFileSync(path, "utf8")).toBe(mine);

    const done = await ground.json<{ changed: boolean; backup: string }>(["hooks", "install", "--yes"]);
    expect(done.changed).toBe(true);
    expect(readFileSync(done.backup, "utf8")).toBe(mine);
    const status = await ground.json<{ installed: boolean; settings: object[] }>(["hooks", "status"]);
    expect(status.installed).toBe(true);
    expect(status.settings[0]).toMatchObject({
      client: "claude",
      scope: "user",
      installed: true,
      wakes: true,
      problems: [],
    });

    expect(await ground.json(["hooks", "install", "--yes"])).toMatchObject({ changed: false });
    expect(await ground.json(["hooks", "uninstall", "--yes"])).toMatchObject({ changed: true });
    expect(readFileSync(path, "utf8")).toBe(mine);
    expect(existsSync(done.backup)).toBe(false);
    expect((await ground.parley(["hooks", "status", "--json"])).code).toBe(1);
    expect(await ground.json(["hooks", "uninstall", "--yes"])).toMatchObject({ changed: false });
  });

  test("installs commands that a shell runs from anywhere, with what each event documents", async () => {
    await using ground = new Ground();
    await ground.serve();
    const home = join(ground.folder, "it's a home");
    await ground.json(["hooks", "install", "--yes", "--home", home]);
    const { hooks } = read(settingsOf(ground));
    expect(Object.keys(hooks)).toEqual([
      "SessionStart",
      "SessionEnd",
      "UserPromptSubmit",
      "Stop",
      "SubagentStop",
      "PostToolBatch",
      "PreCompact",
      "PermissionRequest",
      "Notification",
    ]);
    for (const group of Object.values(hooks).flat())
      for (const { type, command, timeout } of group.hooks) {
        expect({ type, timeout: timeout > 0 }).toEqual({ type: "command", timeout: true });
        expect(command).toMatch(/^exec \//);
      }
    const waiter = hooks.Stop?.[0]?.hooks[1];
    expect(waiter).toMatchObject({ asyncRewake: true, timeout: 86_400 });
    for (const [event, group] of Object.entries(hooks)) {
      const run = spawnSync("/bin/sh", ["-c", group[0]?.hooks[0]?.command ?? ""], {
        cwd: "/",
        env: ground.env({ CLAUDE_CODE_SESSION_ATTENDED: "1" }),
        input: '{"session_id":"s"}',
        encoding: "utf8",
      });
      expect({ event, status: run.status }).toEqual({ event, status: 0 });
      if (event !== "PostToolBatch") expect(run.stderr).toContain(`No hub runs on ${home}`);
    }
  });

  test("for a project changes the project's file", async () => {
    await using ground = new Ground();
    const project = join(ground.folder, "project");
    mkdirSync(join(project, ".git"), { recursive: true });
    const run = (...args: string[]) => spawnSync(PARLEY, args, { cwd: project, env: ground.env(), encoding: "utf8" });
    expect(JSON.parse(run("hooks", "install", "--yes", "--scope", "local").stdout).settings_path).toBe(
      join(project, ".claude", "settings.local.json"),
    );
    expect(JSON.parse(run("hooks", "install", "--yes", "--scope", "project").stdout).notes[0]).toContain(
      "--scope local",
    );
    expect(read(join(project, ".claude", "settings.json")).hooks.Stop).toHaveLength(1);
    expect(existsSync(settingsOf(ground))).toBe(false);
  });

  test("does not let an old Claude Code wait for its own waiter", async () => {
    await using ground = new Ground();
    const old = program(ground, "claude", 'echo "2.0.31 (Claude Code)"');
    const { notes } = await ground.json<{ notes: string[] }>(["hooks", "install", "--yes"], { env: old });
    expect(notes).toEqual(["Idle sessions will not be woken by mail: Claude Code 2.0.31 is older than 2.1.160."]);
    expect(readFileSync(settingsOf(ground), "utf8")).not.toContain("asyncRewake");
    const recent = program(ground, "claude", 'echo "2.1.325 (Claude Code)"');
    expect(await ground.json(["hooks", "install", "--yes"], { env: recent })).toMatchObject({
      changed: true,
      notes: [],
    });
    expect(readFileSync(settingsOf(ground), "utf8")).toContain("asyncRewake");
    await ground.json(["hooks", "install", "--yes", "--no-wake"], { env: recent });
    expect(readFileSync(settingsOf(ground), "utf8")).not.toContain("asyncRewake");
  });

  test("for Codex writes its hooks.json, and says what Codex cannot do", async () => {
    await using ground = new Ground();
    const path = settingsOf(ground, ".codex/hooks.json");
    const without = await ground.json<{ notes: string[] }>(["hooks", "install", "--yes", "--client", "codex"]);
    expect(without.notes.join("\n")).toMatch(/will not be woken.*\n.*\/hooks\.\n.*no other notice/s);
    expect(Object.keys(read(path).hooks)).toEqual([
      "SessionStart",
      "SessionEnd",
      "UserPromptSubmit",
      "Stop",
      "SubagentStop",
      "PreCompact",
      "PermissionRequest",
    ]);
    expect(readFileSync(path, "utf8")).not.toContain("--wake");
    const env = program(ground, "codex", '[ "$1 $2" = "queue --help" ]');
    await ground.json(["hooks", "install", "--yes", "--client", "codex"], { env });
    expect(read(path).hooks.SessionStart?.[0]?.hooks[0]?.command).toContain("hook SessionStart --client codex --wake");
    await ground.json(["hooks", "uninstall", "--yes", "--client", "codex"]);
    expect(existsSync(path)).toBe(false);
    expect(
      error(await ground.parley(["hooks", "install", "--yes", "--client", "codex", "--scope", "local"])).message,
    ).toContain("Codex has no local settings");
  });

  test("refuses a broken file with the place, and touches nothing", async () => {
    await using ground = new Ground();
    const path = put(settingsOf(ground), '{\n  "hooks": {\n');
    const refused = await ground.parley(["hooks", "install", "--yes"]);
    expect(refused.code).toBe(2);
    expect(error(refused).message).toMatch(
      /settings\.json cannot be changed: its client cannot read it, .*\(line 3 column 1\)\. Nothing was changed\.$/,
    );
    expect(readFileSync(path, "utf8")).toBe('{\n  "hooks": {\n');
    expect((await ground.parley(["hooks", "uninstall", "--yes"])).code).toBe(2);
  });

  test("refuses a read-only file", async () => {
    await using ground = new Ground();
    chmodSync(put(settingsOf(ground), "{}"), 0o400);
    const refused = await ground.parley(["hooks", "install", "--yes"]);
    expect(refused.code).toBe(3);
    expect(error(refused).message).toContain("is read-only. Nothing was changed.");
  });
});
