/** Tasks at the command line. */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../src/cli/main.ts";
import { isAlive } from "../src/local/processes.ts";
import { CliIo } from "../src/testing/cli-io.ts";
import { killIfThere } from "../src/testing/kill.ts";
import { ended, Ground, PARLEY, until } from "../src/testing/process.ts";

async function commandLine(runner?: object, config: { task_lease_seconds?: number } = {}) {
  const ground = new Ground({ in_process: true });
  if (runner) {
    mkdirSync(ground.home, { mode: 0o700 });
    writeFileSync(join(ground.home, "runner.json"), JSON.stringify(runner), { mode: 0o600 });
  }
  await ground.host(config);
  const said = async (args: readonly string[], input?: string) => {
    const { code, stdout, stderr } = await ground.parley(
      [...args, "--format", "text"],
      input === undefined ? {} : { input },
    );
    return code === 0 ? stdout.trimEnd() : `${code} ${stdout.trimEnd()}${stderr.trimEnd()}`;
  };
  const add = (...more: string[]) => ground.json<{ id: string }>(["task", "add", ...more]);
  return { ground, said, add, [Symbol.asyncDispose]: () => ground[Symbol.asyncDispose]() };
}

test("a task is added, listed, taken, done and waited for by commands", async () => {
  await using line = await commandLine();
  const { said, ground } = line;
  expect(await said(["task", "list"])).toBe(
    `No task is pending. All of them, by status: ${line.ground.line("task stats")}`,
  );
  expect(await said(["task", "next"])).toMatch(/^No pending tasks\./);
  expect(await said(["task", "add", "Summarise", "the", "logs"])).toMatch(/^Task \d{16} is pending\.$/);
  const id = await said(
    ["task", "add", "-q", "--priority", "-5", "--channel", "email", "-"],
    "Read this:\n\nall of it\n",
  );
  expect(id).toMatch(/^\d{16}$/);
  const listed = await said(["task", "list"]);
  expect(listed).toMatch(
    /^id +content +sender +created\n\d{16} +Summarise the logs +\S+ +just now\n\d{16} +Read this:… /,
  );
  expect(await said(["task", "list", "--fields", "id,channel"])).toMatch(
    /^id +channel\n\d{16} +internal\n\d{16} +email$/,
  );
  expect(await said(["task", "list", "--limit", "1"])).toMatch(
    /There is more: .* task list --limit 1 .*--cursor \d{16}/,
  );
  expect(await said(["task", "list", "-q", "--channel", "email"])).toBe(id);
  expect(await said(["task", "get", "latest"])).toMatch(
    /status +pending\n.*\ncontent:\n {2}Read this:\n {2}\n {2}all of it$/s,
  );

  expect(await said(["task", "next"])).toMatch(/^id +\d{16}\nstatus +processing\n.*content:\n {2}Summarise the logs$/s);
  expect(await said(["task", "next"])).toMatch(
    /^You have a task already\. Before you take the next, end it with .* task done.*, or give it back with .* task fail/,
  );
  const first = (await said(["task", "list", "--status", "processing", "-q"])) ?? "";
  expect(await said(["task", "done", first, "There", "was", "nothing."])).toBe(`Task ${first} is done.`);
  expect(await said(["task", "done", first, "Again."])).toBe(
    `5 parley: Task ${first} is 'done' — can only complete tasks in 'processing' status`,
  );
  expect(await said(["task", "fail", first, "no"])).toMatch(/^5 .* is 'done' already, and nobody works on it\./);
  expect(await said(["task", "wait", id, first])).toBe(`Task ${first} is done.\n  There was nothing.`);
  expect(await said(["task", "wait", id, "--timeout", "0"])).toBe("1 None of them has ended.");
  expect(await said(["task", "cancel", id, "--reason", "not needed"])).toBe(`Task ${id} is cancelled.`);
  expect(await said(["task", "wait", id])).toBe(`1 Task ${id} is cancelled.\n  Cancelled: not needed`);
  expect(await said(["task", "stats"])).toMatch(
    /total +2\nby status +pending 0, processing 0, done 1, cancelled 1, dead 0\nby channel +/,
  );
  expect(await ground.json(["task", "get", first])).toMatchObject({ id: first, attempts: [{ outcome: "done" }] });
});

test("ids of tasks may be cut short as git's, and what names none or several is said", async () => {
  await using line = await commandLine();
  const { said, add } = line;
  expect(await said(["task", "get", "latest"])).toBe("4 parley: There is no task.");
  const { id } = await add("one");
  const { id: second } = await add("two");
  const same = [...second].findIndex((digit, at) => digit !== id[at]);
  expect(await said(["task", "get", second.slice(0, same + 1), "--fields", "id"])).toBe(`id  ${second}`);
  expect(await said(["task", "get", id.slice(0, 8)])).toMatch(
    /^2 parley: More than one task has an id that begins with/,
  );
  expect(await said(["task", "get", "12"])).toBe(
    "4 parley: No task has the id 12. Give at least the first 4 digits of one.",
  );
  expect(await said(["task", "get", "1234"])).toBe("4 parley: No task has an id that begins with 1234.");
  // No id is as great as these.
  expect(await said(["task", "cancel", "9999999"])).toBe("4 parley: No task has an id that begins with 9999999.");
  expect(await said(["task", "get", "9007"])).toBe("4 parley: No task has an id that begins with 9007.");
  expect(await said(["task", "get", "1234567890123456"])).toBe("4 parley: Task 1234567890123456 not found");
});

test("a dead task is found, and tried again alone or with all that fit, after a preview and a question", async () => {
  await using line = await commandLine();
  const { said, add, ground } = line;
  const { id } = await add("--max-attempts", "1", "--channel", "email", "never works");
  await said(["task", "next"]);
  expect(await said(["task", "fail", id, "the", "disk", "is", "full"])).toBe(`Task ${id} is dead.`);
  expect(await said(["task", "list", "--status", "dead"])).toMatch(/never works .* the disk is full$/);
  expect(await said(["task", "why", id])).toMatch(
    /is dead after 1 attempt\.\nWhat went wrong last:\n {2}the disk is full\n/,
  );
  expect(await said(["task", "requeue", "--channel", "web", "--dry-run"])).toBe("Would try 0 dead tasks again.");
  // What nothing comes of needs no yes.
  expect(await said(["task", "requeue", "--channel", "web"])).toBe("There is no such dead task. Nothing was changed.");
  expect(await said(["task", "requeue", "--dry-run"])).toBe("Would try 1 dead task again.");
  expect(await ground.json(["task", "requeue", "--dry-run"])).toMatchObject({ dry_run: true, matched: 1, requeued: 0 });
  expect(await said(["task", "requeue"])).toMatch(
    /^2 .*Try 1 dead task again\? There is no terminal to ask at: say --yes/,
  );
  expect(await said(["task", "list", "--status", "dead", "-q"])).toBe(id);
  expect(await said(["task", "requeue", id])).toBe("1 of 1 dead task requeued.");
  expect(await said(["task", "list", "-q"])).toBe(id);
  await said(["task", "next"]);
  await said(["task", "fail", id, "again"]);
  expect(await said(["task", "why", id])).toMatch(/is dead after 2 attempts\.\nWhat went wrong last:\n {2}again\n/);
  expect(await said(["task", "requeue", "--per-minute", "60", "--yes"])).toMatch(
    /^1 dead task to be tried again, 60 a minute\. To stop it: .* task requeue --stop \d{16}/,
  );
});

test("task why says in a sentence what holds a task back, and what led to it", async () => {
  await using line = await commandLine();
  const { said, add } = line;
  const plain = await add("--concurrency-key", "repo", "first");
  expect(await said(["task", "why", plain.id])).toMatch(
    /^Task \d+ waits for a worker to take it\.\n\n\d+ .*\n {2}first\nNothing is known to have led to that\.$/,
  );
  const delayed = await add("--run-at", "1h30m", "later");
  expect(await said(["task", "why", delayed.id])).toMatch(/ is to begin in 1 h (?:30|29) min at the earliest\./);
  const behind = await add("--concurrency-key", "repo", "second");
  expect(await said(["task", "why", behind.id])).toContain(
    `waits its turn: only 1 of repo at a time, now ${plain.id}.`,
  );
  const picky = await add("--needs", "gpu", "--needs", "repo:x", "third");
  expect(await said(["task", "why", picky.id])).toContain("needs what no worker offers: gpu, repo:x.");
  await said(["task", "next"]);
  expect(await said(["task", "why", plain.id])).toMatch(
    / is worked on by \S+, attempt 1, and its lease ends in \d+ s\./,
  );
  expect(await said(["task", "fail", plain.id, "--throttled-until", "2h", "quota"])).toMatch(/^Task \d+ is pending\.$/);
  expect(await said(["task", "why", plain.id])).toMatch(
    / is held: the quota of the account default is used up until (tomorrow )?\d\d:\d\d\./,
  );
  expect(await said(["task", "wakes"])).toBe("Nobody is owed the end of a task.");
});

test("a run is shown with its attempts and its output, and followed until it is over", async () => {
  const script = "echo one; sleep 0.1; printf 'two \\033[31m'; exit 3";
  await using line = await commandLine({ trigger: { argv: ["/bin/sh", "-c", script] } });
  const { said, ground } = line;
  expect(await said(["runs", "show", "latest"])).toBe("4 parley: There is no run.");
  await said(["trigger", "add", "odd", "--type", "manual", "--prompt", "Be odd."]);
  await said(["trigger", "run", "odd"]);
  const id = await until(() => said(["runs", "list", "-q"]));
  expect(await said(["runs", "tail", id])).toBe("1 one\ntwo \\x1b[31m");
  const { stdout } = await ground.parley(["runs", "tail", "latest"]);
  expect(
    stdout
      .trim()
      .split("\n")
      .map((piece) => JSON.parse(piece).output)
      .join(""),
  ).toBe("one\ntwo \u001b[31m");
  expect(await said(["runs", "show", id])).toMatch(
    /^id +\d{16}\nkind +trigger\n.*exit code +3\n.*\nattempts:\n {2}attempt .*failed .*\noutput:\n {2}one\n {2}two \\x1b\[31m$/s,
  );
  expect(await said(["runs", "show", id.slice(0, 9), "-q"])).toBe(id);
  expect(await said(["runs", "stop", "1234567890123456"])).toMatch(/^4 /);
});

test("doctor warns of no token that ends with the program it was made for", async () => {
  await using line = await commandLine({ trigger: { argv: ["/bin/sh", "-c", "echo up; sleep 600"] } });
  const { said, ground } = line;
  await said(["trigger", "add", "long", "--type", "manual"]);
  await said(["trigger", "run", "long"]);
  const id = await until(() => said(["runs", "list", "-q"]));
  await until(async () => (await ground.json<{ output: string }>(["runs", "show", id])).output.includes("up"));
  const io = new CliIo(ground.env());
  await runCli(["doctor", "--json"], io);
  const { checks }: { checks: { name: string; message: string }[] } = JSON.parse(io.stdout);
  const about = checks.filter(({ name }) => name.startsWith("token")).map(({ message }) => message);
  expect(about).toEqual(["You are admin (admin, human)."]);
  await said(["runs", "stop", id]);
});

test("worker run works on one task after another: exit code 0 is a result, another a failure with what was said", async () => {
  await using line = await commandLine();
  const { said, add, ground } = line;
  const good = await add("--channel", "email", "count to three");
  const bad = await add("--max-attempts", "1", "fail");
  const script = 'read what; echo "$PARLEY_TASK_CHANNEL: $what"; echo oops >&2; test "$what" != fail || exit 7';
  const worked = await ground.parley([
    "worker",
    "run",
    "--until-idle",
    "0",
    "--format",
    "text",
    "--",
    "sh",
    "-c",
    script,
  ]);
  expect(worked).toMatchObject({ code: 0, stderr: "oops\noops\n" });
  expect(worked.stdout).toBe(
    `Task ${good.id} is done: email: count to three\nTask ${bad.id} has failed for the last time and is dead: It ended with exit code 7: oops\n`,
  );
  expect(await ground.json(["task", "get", good.id])).toMatchObject({
    status: "done",
    response_summary: "email: count to three",
    attempts: [{ worker: "worker-run" }],
  });
  expect(await ground.json(["task", "get", bad.id])).toMatchObject({
    status: "dead",
    error: "It ended with exit code 7: oops",
  });
  await add("for another program");
  expect(await said(["worker", "run", "--", "/no/such/program"])).toBe(
    '2 parley: The program "/no/such/program" does not exist. Nothing was taken.',
  );
  expect(await said(["worker", "run", "--", ground.folder])).toMatch(/is not executable\. Nothing was taken\.$/);
  expect(await said(["task", "list", "-q"])).toMatch(/^\d{16}$/);
});

test("worker run keeps its task while the program runs, and ends the program where the task is cancelled", async () => {
  await using line = await commandLine(undefined, { task_lease_seconds: 6 });
  const { said, add, ground } = line;
  const long = await add("take your time");
  const go = join(ground.folder, "go");
  const wait = `until [ -e ${go} ]; do sleep 0.02; done; seq 30`;
  const working = ground.parley([
    "worker",
    "run",
    "--most",
    "1",
    "--lines",
    "2",
    "-q",
    "--format",
    "text",
    "--",
    "sh",
    "-c",
    wait,
  ]);
  const lease = async () =>
    (await ground.json<{ lease_expires_at: string | null }>(["task", "get", long.id])).lease_expires_at;
  const first = await until(lease);
  expect((await ground.parley(["worker", "run", "--", "true"])).stderr).toMatch(/A worker runs as worker-run already/);
  await until(async () => ((await lease()) ?? "") > first);
  writeFileSync(go, "");
  expect(await working).toMatchObject({ code: 0, stdout: `${long.id}\n` });
  expect(await said(["task", "wait", long.id])).toBe(`Task ${long.id} is done.\n  29\n  30`);

  const unwanted = await add("never mind");
  const stopped = ground.parley(["worker", "run", "--most", "1", "--", "sleep", "600"]);
  await until(async () => (await said(["task", "list", "--status", "processing", "-q"])) === unwanted.id);
  await said(["task", "cancel", unwanted.id]);
  expect(JSON.parse((await stopped).stdout)).toMatchObject({ outcome: "failed", text: "It was cancelled." });
  expect(await ground.json(["task", "get", unwanted.id])).toMatchObject({ status: "cancelled" });
});

test("worker run ends where its program cannot be started, says why, and the task costs no attempt", async () => {
  await using line = await commandLine();
  const { add, ground } = line;
  // It is there and may be run, but what it is to be run by is not.
  const broken = join(ground.folder, "broken");
  writeFileSync(broken, "#!/nowhere/shell\n", { mode: 0o755 });
  const kept = await add("--max-attempts", "1", "never begun");
  const failed = await ground.parley(["worker", "run", "--format", "text", "--", broken]);
  expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining("could not be started") });
  expect(await ground.json(["task", "get", kept.id])).toMatchObject({
    status: "pending",
    attempts: [{ outcome: "released" }],
  });
});

test("worker run gives its task back on SIGTERM, and leaves no program behind", async () => {
  await using line = await commandLine();
  const { said, add, ground } = line;
  const task = await add("--max-attempts", "1", "interrupted");
  const pid = join(ground.folder, "pid");
  const worker = ground.start([
    "worker",
    "run",
    "--",
    "sh",
    "-c",
    // One of them leaves the group.
    `setsid sh -c 'echo $$ > ${pid}.2; exec sleep 600' & until [ -s ${pid}.2 ]; do sleep 0.02; done
     echo $$ > ${pid}.new; mv ${pid}.new ${pid}; sleep 600`,
  ]);
  const program = Number(await until(() => existsSync(pid) && readFileSync(pid, "utf8").trim()));
  const apart = Number(readFileSync(`${pid}.2`, "utf8"));
  expect(isAlive(apart)).toBe(true);
  worker.kill("SIGTERM");
  expect(await ended(worker)).toMatchObject({ code: 0, signal: null });
  expect([program, apart].map((each) => isAlive(each))).toEqual([false, false]);
  expect(await said(["task", "list", "-q"])).toBe(task.id);
  expect(await ground.json(["task", "get", task.id])).toMatchObject({ attempts: [{ outcome: "released" }] });
});

test("a program that leaves another one behind with its output is over when it ends, and so is the other", async () => {
  await using line = await commandLine();
  const { said, add, ground } = line;
  const task = await add("leave something behind");
  const pid = join(ground.folder, "pid");
  const program = `setsid sh -c 'echo $$ > ${pid}; exec sleep 600' & until [ -s ${pid} ]; do sleep 0.02; done; echo left`;
  await ground.parley(["worker", "run", "--most", "1", "--", "sh", "-c", program]);
  expect(await said(["task", "wait", task.id])).toBe(`Task ${task.id} is done.\n  left`);
  expect(isAlive(Number(readFileSync(pid, "utf8")))).toBe(false);
});

test("a program is over when it ends, also where something holds its output that nobody can find", async () => {
  await using line = await commandLine();
  const { add, ground } = line;
  const task = await add("leave something behind");
  const pid = join(ground.folder, "pid");
  // In a session of its own, without its environment, and its parent is gone.
  const runaway = `setsid env -i sh -c 'echo $$ > ${pid}; exec sleep 600' &`;
  const program = `sh -c "${runaway}"; until [ -s ${pid} ]; do sleep 0.02; done; echo left`.replace("$$", "\\$\\$");
  try {
    await ground.parley(["worker", "run", "--most", "1", "--", "sh", "-c", program]);
    const over = await ground.json<object>(["task", "get", task.id]);
    expect(over).toMatchObject({ status: "done", response_summary: "left", attempt: 1 });
  } finally {
    killIfThere(Number(readFileSync(pid, "utf8")));
  }
});

test("several that start as one role for the first time have one token", async () => {
  await using line = await commandLine();
  const { ground } = line;
  for (const content of ["one", "two", "three"]) await line.add(content);
  const work = (name: string) => ground.parley(["worker", "run", "--name", name, "--most", "1", "--", "true"]);
  await Promise.all([work("mason"), work("mason"), work("mason")]);
  const { tokens } = await ground.json<{ tokens: { principal: string }[] }>(["token", "list"]);
  expect(tokens.filter(({ principal }) => principal === "mason")).toHaveLength(1);
});

test("a worker leaves nothing in the folder that it is started in", async () => {
  await using line = await commandLine();
  const { ground } = line;
  const project = join(ground.folder, "project");
  mkdirSync(project);
  await line.add("one");
  const args = ["worker", "run", "--name", "otter", "--most", "1", "--", "true"];
  const worker = spawn(PARLEY, args, { cwd: project, env: ground.env(), stdio: ["pipe", "pipe", "pipe"] });
  expect(await ended(ground.watch(worker))).toMatchObject({ code: 0 });
  expect(readdirSync(project)).toEqual([]);
});

test("doctor says whether runner.json is sound, and whether a trigger is owed the end of a task", async () => {
  await using line = await commandLine();
  const { said, ground } = line;
  const runner = join(ground.home, "runner.json");
  const examined = async () => {
    const io = new CliIo(ground.env());
    await runCli(["doctor", "--json"], io);
    const { checks }: { checks: { name: string; state: string; message: string }[] } = JSON.parse(io.stdout);
    return Object.fromEntries(checks.map(({ name, state, message }) => [name, `${state}: ${message}`]));
  };
  expect(await examined()).toMatchObject({
    runner: expect.stringMatching(/^pass: There is no runner\.json/),
    wakes: "pass: Nobody is owed the end of a task.",
  });

  const { token } = await ground.json<{ token: string }>(["token", "create", "--role", "trigger", "--name", "gmail"]);
  await ground.json(["task", "add", "read it"], { env: { PARLEY_TOKEN: token } });
  await said(["task", "next"]);
  await said(["task", "done", "latest", "Read."]);
  const flawed = {
    trigger: { argv: ["/no/such/agent"] },
    worker: { argv: [runner] },
    mail: { argv: ["sh"], cwd: "/no/such" },
  };
  writeFileSync(runner, JSON.stringify(flawed), { mode: 0o600 });
  const { runner: faults, wakes } = await examined();
  expect(wakes).toMatch(
    /^warn: 1 end of tasks was not taken .* the oldest, of trigger:gmail, ended just now and was offered/,
  );
  expect(faults).toMatch(
    /^fail: .*trigger: \/no\/such\/agent does not exist\. worker: .*runner\.json is not executable\. mail: /,
  );
  expect(faults).toContain("mail: Its folder /no/such cannot be entered.");
  expect(await said(["task", "wakes"])).toMatch(/gmail +_default +done/);

  writeFileSync(runner, JSON.stringify({ worker: { argv: ["sh", "-c", "true"] }, triggers: { a: { argv: ["sh"] } } }));
  expect((await examined()).runner).toBe("pass: It can start: worker, trigger a.");
  writeFileSync(runner, "{,}");
  expect((await examined()).runner).toMatch(/^fail: .*runner\.json is not JSON/);
  chmodSync(runner, 0o666);
  expect((await examined()).runner).toMatch(/^fail: .*whoever can change it decides what runs/);
});
