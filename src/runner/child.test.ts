/** What is left of programs that do not want to end: nothing. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { COOKIE, killAll, listCookies } from "../local/killing.ts";
import { isAlive, startOf } from "../local/processes.ts";
import { UNRULY } from "../testing/agents/unruly.ts";
import { killIfThere } from "../testing/kill.ts";
import { until } from "../testing/process.ts";
import { Child, type Command, NotStarted } from "./child.ts";
import { Output } from "./output.ts";

let folder: string;
let file: string;
let lines: string[];
let online: (line: string) => void;
let most: number;
let cookie: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-child-"));
  file = join(folder, "runs", "1.log");
  lines = [];
  online = (line) => void lines.push(line);
  most = 64 * 1024;
  cookie = `1.1.${crypto.randomUUID()}`;
});
afterEach(async () => {
  await killAll({ cookie });
  rmSync(folder, { recursive: true, force: true });
});

const SECRET = "s3cret-of-the-run";

async function start(steps: readonly string[], more: Partial<Command> = {}) {
  const output = new Output(file, { secrets: [SECRET], most });
  await output.open();
  const command = { argv: [process.execPath, UNRULY, ...steps], cwd: folder, env: {}, input: "", cookie, ...more };
  try {
    return { child: await Child.start(command, { output, online }), output };
  } catch (error) {
    await output.end();
    throw error;
  }
}

async function run(steps: readonly string[], more: Partial<Command> = {}) {
  const { child, output } = await start(steps, more);
  const exit = await child.exited;
  const killed = await child.clean();
  await output.end();
  return { exit, killed, text: readFileSync(file, "utf8"), output };
}

const childPid = async (): Promise<number> =>
  Number(await until(() => lines.find((line) => line.startsWith("child "))?.slice("child ".length)));

test("a program is given its arguments as they are, its input, and no variable but those it is to have", async () => {
  const args = ["args", "stdin", "say:$HOME `id` ; rm *", "env:HOME", "env:PARLEY_URL"];
  const { exit, text } = await run(args, { input: "Do it\n", env: { PARLEY_URL: "http://127.0.0.1:1" } });
  expect(exit).toEqual({ code: 0, signal: null });
  expect(text).toBe(`${JSON.stringify(args)}\nDo it\n\n$HOME \`id\` ; rm *\nHOME=\nPARLEY_URL=http://127.0.0.1:1\n`);
});

test("how it ended is known: its exit code, or the signal that killed it", async () => {
  expect((await run(["crash:7"])).exit).toEqual({ code: 7, signal: null });
  expect((await run(["kill"])).exit).toEqual({ code: null, signal: "SIGKILL" });
});

test("a program that does not exist, may not be run or has no folder is told as such, and nothing was started", async () => {
  const script = join(folder, "script");
  writeFileSync(script, "#!/nowhere/interpreter\n", { mode: 0o700 });
  const bad: [Partial<Command>, string][] = [
    [{ argv: ["/nowhere/agent"] }, "The program /nowhere/agent does not exist."],
    [{ argv: [script] }, `The program ${script} is there, but what it is to be run by is not: see its first line.`],
    [{ argv: [file] }, `The program ${file} may not be run.`],
    [{ cwd: join(folder, "none") }, `The folder ${join(folder, "none")} does not exist.`],
    [{ argv: [process.execPath, "a\0b"] }, `The program ${process.execPath} could not be started`],
  ];
  for (const [command, why] of bad) {
    const failed = await start([], command).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(NotStarted);
    expect(String(failed)).toContain(why);
  }
});

test.each(["plain", "deaf", "setsid", "twice", "bare"])(
  "a child that it left behind (%s) is killed when it is over",
  async (mode) => {
    // A child without the cookie is found by its parent, while that one lives.
    const { child, output } = await start([`child:${mode}`, ...(mode === "bare" ? ["hang"] : [])]);
    const left = await childPid();
    if (mode === "bare") await child.end(0);
    await child.exited;
    await child.clean();
    await output.end();
    await until(() => !isAlive(left));
    expect((await listCookies()).get(cookie)).toBeUndefined();
  },
);

test("RUNNER-8: what stayed in the group is killed with it, also where nothing else shows whose it is", async () => {
  // Without the cookie, and its parent is over by then.
  const argv = ["sh", "-c", "env -i sleep 600 > /dev/null 2>&1 & echo child $!"];
  const { child, output } = await start([], { argv });
  const left = await childPid();
  await child.exited;
  expect(await child.clean()).toBe(1);
  await output.end();
  await until(() => !isAlive(left));
});

test("one that ignores SIGTERM is killed after its time of grace, with a child that had left its group", async () => {
  const { child, output } = await start(["deaf", "child:setsid", "hang"]);
  const left = await childPid();
  await child.end(100);
  expect(await child.exited).toEqual({ code: null, signal: "SIGKILL" });
  await child.clean();
  await output.end();
  expect([isAlive(child.pid), isAlive(left)]).toEqual([false, false]);
});

test("one that ends when it is asked to is not killed", async () => {
  const { child, output } = await start(["say:ready", "hang"]);
  await until(() => lines.includes("ready"));
  await child.end(60_000);
  expect(await child.exited).toEqual({ code: null, signal: "SIGTERM" });
  expect(await child.clean()).toBe(0);
  await output.end();
});

test("a process with another cookie, or with the same number later, is left alone", async () => {
  const other = new Output(join(folder, "2.log"), { secrets: [] });
  await other.open();
  const command = { argv: [process.execPath, UNRULY, "hang"], cwd: folder, env: {}, input: "", cookie: "9.9.other" };
  const stranger = await Child.start(command, { output: other, online: () => {} });
  try {
    expect(await killAll({ cookie })).toBe(0);
    expect(await killAll({ cookie, leader: { pid: stranger.pid, start: "1" } })).toBe(0);
    expect(isAlive(stranger.pid, stranger.start)).toBe(true);
  } finally {
    killIfThere(stranger.pid);
    await stranger.exited;
    await stranger.clean();
    await other.end();
  }
});

test("what was there before the program is none of its own, and is not looked at, whatever it carries", async () => {
  const before = spawn(process.execPath, [UNRULY, "hang"], { env: { [COOKIE]: cookie }, stdio: "ignore" });
  const pid = before.pid ?? 0;
  const start = startOf(pid);
  try {
    // The kernel counts in hundredths of a second.
    expect(await killAll({ cookie, leader: { pid: 1 << 22, start: String(Number(start) + 1) } })).toBe(0);
    expect(isAlive(pid, start)).toBe(true);
    expect(await killAll({ cookie, leader: { pid: 1 << 22, start } })).toBe(1);
  } finally {
    killIfThere(pid);
  }
});

test("of a flood the end is kept, in a file of bounded size, with or without lines", async () => {
  for (const flood of ["flood:40", "line:20"]) {
    const { text, exit, output } = await run([flood, "say:", "say:the end"]);
    expect(exit.code).toBe(0);
    expect(statSync(file).size).toBeLessThanOrEqual(64 * 1024);
    expect(text).toMatch(/^\[\d+ bytes left out\]\n/);
    expect(text).toMatch(/the end\n$/);
    expect(output.total).toBeGreaterThan(20 * 1024 * 1024);
    expect(lines.at(-1)).toBe("the end");
  }
});

test("of a gigabyte the end is kept, in bounded memory and in a file of bounded size", {
  timeout: 300_000,
}, async () => {
  // As the hub keeps it.
  most = 1024 * 1024;
  const before = process.memoryUsage.rss();
  let [count, largest, last] = [0, 0, ""];
  // Kept, the lines would be the gigabyte.
  online = (line) => {
    last = line;
    count += 1;
    if (count % 4096 === 0) largest = Math.max(largest, process.memoryUsage.rss());
  };
  const { text, exit, output } = await run(["flood:1024", "say:the end"]);
  expect(exit.code).toBe(0);
  expect(output.total).toBe(1024 ** 3 + "the end\n".length);
  expect(largest - before).toBeLessThan(256 * 1024 * 1024);
  expect(statSync(file).size).toBeLessThanOrEqual(most);
  expect(text).toMatch(/^\[\d+ bytes left out\]\n/);
  expect(text).toMatch(/the end\n$/);
  expect([count, last]).toEqual([1024 ** 2 + 1, "the end"]);
});

test("a secret that comes in pieces is taken out, whatever the other stream says in between", async () => {
  const [half, rest] = [SECRET.slice(0, 9), SECRET.slice(9)];
  const said = [
    `process.stdout.write("a ${half}")`,
    'process.stderr.write("b ")',
    `process.stdout.write("${rest} c\\n")`,
  ];
  const script = said.map((one, at) => `setTimeout(() => ${one}, ${at * 100})`).join(";");
  const { text } = await run([], { argv: [process.execPath, "-e", script] });
  expect(text).toContain("a [secret] c\n");
  expect(text).not.toContain(half);
});

test("what it prints can be read while it runs, and no secret stands in it", async () => {
  const token = `parley_${"a1".repeat(20)}abc`;
  const gone = join(folder, "go");
  const { child, output } = await start([`say:one ${SECRET} ${token}`, `wait:${gone}`, "hang"]);
  await until(() => readFileSync(file, "utf8").includes("one"));
  expect(readFileSync(file, "utf8")).toBe("one [secret] parley_[secret]\n");
  expect(output.tail()).toBe("one [secret] parley_[secret]\n");
  await child.end(0);
  await child.clean();
  await output.end();
});
