import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isObject } from "../../client/errors.ts";
import { HubError } from "../../client/index.ts";
import { replaceFile } from "../../local/files.ts";
import { isAlive, isProgram } from "../../local/processes.ts";
import type { Toolset } from "../../runtime/index.ts";
import { visibleLine } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand, flag, text } from "../core/command.ts";
import { Failure, reasonOf, recover } from "../core/failure.ts";
import { readJson } from "../core/io.ts";
import { libraryClient, orFailure, untilInterrupted } from "../core/library.ts";
import { takeBriefly } from "../core/process-lock.ts";
import { untilGone } from "../core/start-hub.ts";
import { LAUNCHER } from "../root.ts";
import { allowDemo, forgetDemo } from "./policy.ts";

const STOP_MS = 20_000;
const NAME = "demo";

/** A demo that was started, as it is remembered in the data folder. */
interface Started {
  pid: number;
  name: string;
  token: string;
  token_id: string;
}

export const demo = defineCommand({
  people: true,
  examples: ["demo", "demo --stop", "demo --remove", "demo --foreground"],
  details:
    "It speaks first, answers by fixed rules without any model, asks questions, asks before it runs something and files tasks: say help to it. Its questions and tasks are allowed by rules of the policy that it brings along: parley policy show. It goes on in the background until --stop, which ends it and takes its token and its rules back; started again it goes on where it was. --remove takes away the agent as well, with its chat, what it asked and the tasks it filed that nobody has begun; where people spoke to it who name nobody, they speak to another agent then. A task that a worker has begun stays theirs.",
  options: {
    stop: flag("end it and take its token and rules back"),
    remove: flag("end it, and take away its agent with what it asked and filed"),
    foreground: flag("run it here until Ctrl-C, rather than in the background"),
    name: text("NAME", "what the agent is called [default demo]"),
  },
  async run(cli, { stop, remove, foreground, name }) {
    if (remove) return takeAway(cli, name ?? NAME);
    if (stop) return halt(cli);
    const me = await cli.call("whoami", {});
    // Started by ourselves it has the token of an agent, and is that agent.
    if (me.agent !== null) return answer(cli, { token: cli.token, space: me.space, ready: announce });
    if (foreground) return inForeground(cli, name, me.space);
    await inBackground(cli, name);
  },
});

async function inForeground(cli: Cli, wanted: string | undefined, space: string): Promise<void> {
  const made = await createAgent(cli, wanted);
  const { name } = made;
  await allowDemo(cli, name);
  cli.out.note(`${name} answers. Ctrl-C ends it.`);
  try {
    const ready = (): void => {
      announce();
      greet(cli, name).catch((error: unknown) =>
        cli.out.note(`It could not speak first: ${visibleLine(reasonOf(error))}`),
      );
    };
    await answer(cli, { token: made.token, space, ready });
  } finally {
    await forgetDemo(cli, name);
    await revoke(cli, made.id);
  }
}

/** For whoever started it and waits. */
const announce = (): void => void process.stdout.write(`${JSON.stringify({ ready: true })}\n`);

interface Answering {
  token: string | undefined;
  space: string;
  ready: () => void;
}

/** Until a signal ends it, or somebody else runs the agent. */
async function answer(cli: Cli, { token, space, ready }: Answering): Promise<void> {
  const { Compositor, EXEC_SERVER, httpPort, runAgent } = await import("../../runtime/index.ts");
  const { execMount } = await import("../../runtime/compositor/index.ts");
  const { demoDriver } = await import("./driver.ts");
  const stop = untilInterrupted();
  using client = libraryClient(cli, { token, space });
  const driver = demoDriver({ now: () => client.now(), line: (command) => cli.line(command) });
  await using mounted = new AsyncDisposableStack();
  /** So that there is something to ask for: each call of it is decided by the policy. */
  const around = async (hub: Toolset, changed: () => void): Promise<Toolset> => {
    const compositor = mounted.use(new Compositor({ hub, changed }));
    await compositor.reconfigure(new Map([[EXEC_SERVER, execMount(tmpdir())]]));
    await compositor.settled();
    return compositor;
  };
  try {
    await runAgent({ port: httpPort(client), driver, around, signal: stop, ready });
  } catch (error) {
    if (stop.aborted) return;
    throw orFailure(error);
  }
}

/** To whom nothing was said yet, it speaks first. */
async function greet(cli: Cli, agent: string): Promise<void> {
  const { messages } = await cli.call("chat_read_since", { agent, limit: 1 });
  if (messages.length === 0) await cli.call("agent_resume", { agent });
}

async function inBackground(cli: Cli, wanted: string | undefined): Promise<void> {
  using lock = takeBriefly(join(cli.home.path, "demo.lock"));
  if (!lock) throw new Failure("CONFLICT", "Somebody is starting the demo just now.");
  const before = remembered(cli);
  if (before && isOurs(before.pid)) return tell(cli, before, "runs already");
  // One that was killed left its token behind.
  if (before) await revoke(cli, before.token_id);
  const { id, token, name } = await createAgent(cli, wanted);
  await allowDemo(cli, name);
  const pid = await startChild(cli, token);
  const started: Started = { pid, name, token, token_id: id };
  replaceFile(fileOf(cli), `${JSON.stringify(started)}\n`);
  await greet(cli, name);
  await tell(cli, started, "answers");
}

async function halt(cli: Cli): Promise<void> {
  const ended = await endDemo(cli);
  if (!ended) return cli.out.result({ stopped: false }, () => "No demo runs here.");
  const { name, pid } = ended;
  await cli.out.result({ stopped: true, agent: name, pid }, () => `${visibleLine(name)} no longer answers.`, []);
}

async function takeAway(cli: Cli, wanted: string): Promise<void> {
  const { name = wanted, pid = null } = (await endDemo(cli)) ?? {};
  const waiting = await waitingTasks(cli, name);
  for (const task_id of waiting) await cli.call("task_cancel", { task_id, reason: "The demo was removed." });
  const { questions } = await cli.call("get_pending_questions", {});
  for (const { id, asked_by } of questions)
    if (asked_by === name) await cli.call("question_dismiss", { question_id: id });
  const next = await handOver(cli, name);
  const gone = await cli.call("agent_delete", { name }).catch(recover(undefined, "AGENT_NOT_FOUND"));
  const told = { removed: gone !== undefined, agent: name, pid, tasks_cancelled: waiting.length };
  const instead = next === undefined ? "" : ` Who names nobody speaks to ${visibleLine(next)} from now on.`;
  const words = gone ? `${visibleLine(name)} is gone.${instead}` : "There is no demo here.";
  await cli.out.result({ ...told, ...(next !== undefined && { default_agent: next }) }, () => words, []);
}

/** The first agent of a space is whom people speak to who name nobody, and as such it is not deleted while there is another. */
async function handOver(cli: Cli, name: string): Promise<string | undefined> {
  const { agents } = await cli.call("agent_list", { all: true });
  const isDefault = agents.some((agent) => agent.name === name && agent.default);
  const next = agents.find((agent) => agent.name !== name)?.name;
  if (!isDefault || next === undefined) return undefined;
  await cli.call("agent_default", { name: next });
  return next;
}

/** Of its tasks those that nobody has begun, by their ids. */
async function waitingTasks(cli: Cli, name: string): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await cli.call("task_list", {
      status: "pending",
      limit: 100,
      ...(cursor !== undefined && { cursor }),
    });
    found.push(...page.tasks.filter(({ sender }) => sender === name).map(({ id }) => id));
    if (page.next === null) return found;
    cursor = page.next;
  }
}

/** Undefined where none was started, or it was ended before. */
export async function endDemo(cli: Cli): Promise<Pick<Started, "name" | "pid"> | undefined> {
  const started = remembered(cli);
  if (!started) return undefined;
  const { pid, name, token_id } = started;
  if (isOurs(pid)) await end(pid);
  else await reportStopped(cli, started);
  await forgetDemo(cli, name);
  await revoke(cli, token_id);
  rmSync(fileOf(cli), { force: true });
  return { name, pid };
}

/** Where no hub runs that could take its token back: the next demo does. Its name, if there was one. */
export async function killDemo(cli: Cli): Promise<string | undefined> {
  const started = remembered(cli);
  if (!started || !isOurs(started.pid)) return undefined;
  await end(started.pid);
  return started.name;
}

async function end(pid: number): Promise<void> {
  process.kill(pid, "SIGTERM");
  if (!(await untilGone(pid, STOP_MS))) process.kill(pid, "SIGKILL");
}

/** It was killed, so it could not say it itself. */
async function reportStopped(cli: Cli, { token }: Started): Promise<void> {
  using client = libraryClient(cli, token === undefined ? undefined : { token, space: cli.space });
  try {
    await client.call("agent_report", { lifecycle: "stopped", run_phase: "idle" });
  } catch (error) {
    // Its token may be gone already.
    if (!(error instanceof HubError)) throw error;
  }
}

/** The name of one that was removed is not given again: where none was asked for, the next one is taken. */
async function createAgent(cli: Cli, wanted: string | undefined): Promise<{ id: string; token: string; name: string }> {
  if (wanted !== undefined) return { ...(await createToken(cli, wanted)), name: wanted };
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? NAME : `${NAME}-${n}`;
    const made = await createToken(cli, name).catch(recover(undefined, "NAME_TAKEN"));
    if (made) return { ...made, name };
  }
}

const createToken = (cli: Cli, name: string): Promise<{ id: string; token: string }> =>
  cli.call("token_create", { role: "agent", name, label: "parley demo", ...(cli.space && { space: cli.space }) });

/** Somebody else may have been faster, or the data folder is another one by now. */
const revoke = (cli: Cli, id: string): Promise<unknown> =>
  cli.call("token_revoke", { id }).catch(recover(undefined, "CONFLICT", "NOT_FOUND"));

async function startChild(cli: Cli, token: string): Promise<number> {
  const path = join(cli.home.path, "demo.log");
  rmSync(path, { force: true });
  const log = openSync(path, "wx", 0o600);
  const { PARLEY_URL: _url, ...env } = process.env;
  const place = [...(cli.url ? ["--url", cli.url] : []), ...(cli.space ? ["--space", cli.space] : [])];
  const child = spawn(LAUNCHER, ["demo", "--home", cli.home.path, ...place], {
    ...{ detached: true, cwd: cli.home.path, env: { ...env, PARLEY_TOKEN: token }, stdio: ["ignore", "pipe", log] },
  });
  closeSync(log);
  if (!(await saysSomething(child)))
    throw new Failure("HUB_UNREACHABLE", `The demo did not start: ${readFileSync(path, "utf8").trim()}`);
  child.stdout?.destroy();
  child.unref();
  return child.pid ?? 0;
}

const saysSomething = (child: ChildProcess): Promise<boolean> =>
  new Promise((resolve) => {
    child.stdout?.once("data", () => resolve(true));
    child.once("exit", () => resolve(false)).once("error", () => resolve(false));
  });

const fileOf = (cli: Cli): string => join(cli.home.path, "demo.json");

function remembered(cli: Cli): Started | undefined {
  const started = readJson(fileOf(cli));
  if (!isObject(started)) return undefined;
  const { pid, name, token, token_id } = started;
  return { pid: Number(pid), name: String(name), token: String(token), token_id: String(token_id) };
}

/** The number of a process that is gone may be another's by now. */
const isOurs = (pid: number): boolean => isAlive(pid) && isProgram(pid, "demo") !== false;

const tell = (cli: Cli, { pid, name, token_id }: Started, what: string): Promise<void> =>
  cli.out.result(
    { agent: name, pid, token_id },
    () =>
      [
        `${visibleLine(name)} ${what}.`,
        `  say something  ${cli.line(`chat send --agent ${name} help`)}`,
        `  end it         ${cli.line("demo --stop")}`,
      ].join("\n"),
    [name],
  );
