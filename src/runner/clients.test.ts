/** What the runner makes of Claude Code and Codex, by programs that print what they print. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { arm, disarm } from "../failpoints.ts";
import { FAKE_CLIENT } from "../testing/agents/fake-client.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { until } from "../testing/process.ts";
import { define, planRun, runIn, runOver, showRun } from "../testing/runs.ts";

const START = Date.parse("2027-03-01T09:00:00Z");
/** What the fake says in `resetsAt`. */
const RESET = "2027-03-01T14:00:00.000Z";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-clients-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const calls = (): { args: string[]; prompt: string }[] =>
  readFileSync(join(folder, "log"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const behave = (mode: string): void => writeFileSync(join(folder, "mode"), mode);
const use = (hub: TestHub, client: "claude" | "codex"): void =>
  define(hub, { trigger: { client, argv: [process.execPath, FAKE_CLIENT, client, folder], cwd: folder } });
const kept = { session_mode: "persistent", prompt: "Look at the builds" } as const;
const run = async (hub: TestHub) => runOver(hub, await planRun(hub, kept));

eachDatabase((open, database) => {
  test("RUNNER-4: Claude Code gets the session id that is stored, and goes on with it; costs are what is new", async () => {
    const hub = await open({ now: START });
    use(hub, "claude");
    const first = await run(hub);
    const second = await run(hub);
    expect([first.state, first.cost_usd, second.state, second.cost_usd]).toEqual(["done", 0.25, "done", 0.25]);
    const [one, two] = calls();
    expect(one?.args.slice(0, 6)).toEqual([
      ...["-p", "--output-format", "stream-json", "--verbose", "--session-id", first.session_id],
    ]);
    expect(two?.args.slice(4, 6)).toEqual(["--resume", first.session_id]);
    expect(two?.prompt).toBe(kept.prompt);
    expect(two?.args.join(" ")).not.toMatch(/parley_[A-Za-z0-9]{20}/);
  });

  test("RUNNER-4: the session that Codex chooses is stored, and it goes on with it", async () => {
    const hub = await open({ now: START });
    use(hub, "codex");
    const first = await run(hub);
    expect(first.session_id).toMatch(/^[0-9a-f-]{36}$/);
    const second = await run(hub);
    expect(second).toMatchObject({ state: "done", session_id: first.session_id });
    expect(calls()[1]?.args.slice(-3)).toEqual(["resume", first.session_id, "-"]);
  });

  test("what a client says of itself that no database can hold is stored without it, and the run has failed as it says", async () => {
    const hub = await open({ now: START });
    const result = JSON.stringify({
      type: "result",
      is_error: true,
      session_id: "a\0b",
      result: "nul \0, half \ud800.",
    });
    const script = "process.stdout.write(process.argv[1] + '\\n'); process.exitCode = 1";
    define(hub, { trigger: { client: "claude", argv: [process.execPath, "-e", script, result], cwd: folder } });
    const { state, error, session_id } = await run(hub);
    expect([state, error, session_id?.length]).toEqual(["failed", "nul \ufffd, half \ufffd.", 36]);
  });

  test("where the session that a client names cannot be stored the hub goes on, and the run says so when its program is over", async () => {
    const hub = await open({ now: START });
    const [named, go] = [join(folder, "named"), join(folder, "go")];
    const script = `const { existsSync, writeFileSync } = require("fs");
      const at = (file, then) => { const until = setInterval(() => existsSync(file) && (clearInterval(until), then()), 10); };
      at(${JSON.stringify(named)}, () => {
        console.log(JSON.stringify({ type: "thread.started", thread_id: "a-session" }));
        at(${JSON.stringify(go)}, () => {});
      })`;
    define(hub, { trigger: { client: "codex", argv: [process.execPath, "-e", script, "--"], cwd: folder } });
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on("unhandledRejection", note);
    await using _ = { [Symbol.asyncDispose]: async () => void process.off("unhandledRejection", note) };
    const id = await planRun(hub);
    await runIn(hub, id, "running");
    arm("post.before_begin:throw:each");
    writeFileSync(named, "");
    await until(() => readFileSync(join(hub.home, "runs", "main", `${id}.1.log`), "utf8").includes("a-session"));
    // Behind it: what cannot be stored now either.
    expect((await hub.call(hub.admin, "run_pause")).status).toBe(500);
    disarm();
    writeFileSync(go, "");
    expect(await runOver(hub, id)).toMatchObject({
      state: "failed",
      error: expect.stringMatching(/^The hub could not run it: /),
    });
    expect(unhandled).toEqual([]);
  });

  // The rest is between the hub and a program, whichever database there is.
  if (database !== "sqlite") return;

  test("Codex has the tools of its run, which nobody has to approve, and no others of ours", async () => {
    const hub = await open({ now: START });
    const program = { client: "codex", argv: [process.execPath, FAKE_CLIENT, "codex", folder], cwd: folder };
    define(hub, { trigger: { ...program, env: { CODEX_HOME: folder } } });
    await run(hub);
    writeFileSync(join(folder, "config.toml"), '[mcp_servers.parley]\ncommand = "parley"\nargs = ["mcp"]\n');
    await run(hub);
    const [first, second] = calls().map(({ args }) => args.filter((arg) => arg.startsWith("mcp_servers.")));
    expect(first).toContain('mcp_servers.parley_run.default_tools_approval_mode="approve"');
    expect(first).toContain("mcp_servers.parley_run.required=true");
    expect(second).toEqual([...(first ?? []), "mcp_servers.parley.enabled=false"]);
  });

  test.each(["claude", "codex"] as const)(
    "RUNNER-5: a session that %s has lost is forgotten, and the same message begins a new one",
    async (client) => {
      const hub = await open({ now: START });
      use(hub, client);
      const first = await run(hub);
      rmSync(join(folder, first.session_id ?? ""));
      const second = await run(hub);
      expect(second.attempts.map(({ outcome }) => outcome)).toEqual(["session_lost", "done"]);
      expect(second.session_id).not.toBe(first.session_id);
      expect(calls().map(({ prompt }) => prompt)).toEqual([kept.prompt, kept.prompt, kept.prompt]);
      expect((await run(hub)).session_id).toBe(second.session_id);
    },
  );

  test.each([
    ["claude", RESET],
    ["codex", "2027-03-01T09:00:30.000Z"],
  ] as const)("a quota that %s meets puts the run off, and counts as no failure", async (client, at) => {
    const hub = await open({ now: START });
    use(hub, client);
    behave("quota");
    const id = await planRun(hub, kept);
    const waiting = await until(async () => {
      const shown = await showRun(hub, id);
      return shown.state === "queued" && shown.attempt === 1 ? shown : undefined;
    });
    expect(waiting).toMatchObject({ waits_for: "quota", not_before: at });
    behave("");
    await hub.tick(Date.parse(at) - START);
    const over = await runOver(hub, id);
    expect(over.attempts.map(({ outcome, resumed }) => [outcome, resumed])).toEqual([
      ["throttled", false],
      ["done", true],
    ]);
  });

  test("a result that says it is an error is a failure, whatever the exit code", async () => {
    const hub = await open({ now: START });
    use(hub, "claude");
    behave("error");
    expect(await run(hub)).toMatchObject({ state: "failed", exit_code: 0, error: "API Error: 500", cost_usd: 0.25 });
  });
});
