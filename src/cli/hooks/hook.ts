import { visibleLine } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand, flag } from "../core/command.ts";
import { invalid, reasonOf } from "../core/failure.ts";
import { STDERR } from "../core/io.ts";
import { nothing } from "./answers.ts";
import { claimSession } from "./claims.ts";
import { CLIENT, EVENTS, eventNamed, type HookEvent } from "./events.ts";
import { type HookInput, readInput } from "./input.ts";
import { noteRan } from "./ran.ts";
import { type Asked, type Response, respond } from "./respond.ts";

/** A client waits for its hook, and a person for the client. */
const LEAST_BUDGET_MS = 190;
const MOST_BUDGET_MS = 1_000;
/** For what the client does not wait for: it asks its person itself meanwhile. */
const UNHURRIED_MS = 10_000;
/** To say what was printed there is what is left of that, but never so little that it could not even be said. */
const LEAST_NOTE_MS = 50;
/** The exit code by which a hook keeps its client from what it is about to do. */
const BLOCKED = 2;

export const hook = defineCommand({
  format: "text",
  examples: ["hook Stop", "hook SessionStart --client codex"],
  details: `For ${EVENTS.join(", ")}. Called by an agent's client, which puts JSON on stdin; \`parley hooks install\` sees to that. It never starts a hub, and whatever goes wrong it lets the client go on: exit code 0 and one line on stderr. Only a worker that the hub started is kept from stopping while it has a task, or one waits for it, and PreToolUse, for what the hub starts with approvals, lets nothing be done that nobody has allowed: exit code 2. PARLEY_HOOK_MS is how long it waits for the hub.`,
  positionals: { event: { required: true, description: "which moment of the client, by its own name" } },
  options: {
    client: CLIENT,
    wake: flag("for Codex: wake the session when mail comes, by `codex queue`"),
  },
  async run(cli, { event: given, client, wake }) {
    const event = eventNamed(given);
    if (!event) throw invalid(`There is no hook ${JSON.stringify(given)}. There are ${EVENTS.join(", ")}.`);
    if (event === "PreToolUse") return answerForRun(cli);
    let ends = 0;
    const answer = await failingOpen(event, async () => {
      const input = await readInput();
      noteRan(cli.home.path, client);
      if (client === "claude") claimSession(cli.home.path, input.session_id);
      enter(input);
      if (event === "SessionStart" && client === "claude") keepSession(input);
      const asked: Asked = { cli, event, input, client, wake };
      const ms = isBeside(asked) ? UNHURRIED_MS : budget_ms();
      ends = performance.now() + ms;
      return within(ms, respond(asked));
    });
    if (answer.blocks === undefined) await cli.out.write(answer.text);
    else await keepGoing(cli, answer.blocks);
    await note(event, answer, Math.max(LEAST_NOTE_MS, ends - performance.now()));
    const { decided } = answer;
    if (decided) await cli.out.write((await failingOpen(event, async () => ({ text: await decided() }))).text);
  },
});

/** Before a call of a client that the hub has started. It fails closed: what nobody has allowed is not done. */
async function answerForRun(cli: Cli): Promise<void> {
  try {
    const { permitted } = await import("./permitting.ts");
    await cli.out.write(await permitted(cli, await readInput()));
  } catch (error) {
    await keepGoing(cli, `It was not run, since the hub could not be asked whether it may be: ${reasonOf(error)}`);
  }
}

/** What the client takes for a reason to go on, and shows the model. */
async function keepGoing({ io }: Cli, why: string): Promise<void> {
  await io.write(STDERR, `${why}\n`);
  io.exitCode = BLOCKED;
}

async function failingOpen(event: HookEvent, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    say(event, error);
    return { text: nothing(event) };
  }
}

/** Only now that it was printed: what nobody saw must stay new. A hub that does not hear of it shows it once more. */
async function note(event: HookEvent, { printed }: Response, ms: number): Promise<void> {
  await (printed && within(ms, printed()).catch((error: unknown) => say(event, error)));
}

function say(event: HookEvent, error: unknown): void {
  process.stderr.write(`parley hook ${event}: ${visibleLine(reasonOf(error)).slice(0, 500)}\n`);
}

const isBeside = ({ event, client }: Asked): boolean => event === "PermissionRequest" && client === "claude";

/** On a machine so busy that we took long to start, the hub takes long too. */
function budget_ms(): number {
  const set = Number(process.env.PARLEY_HOOK_MS);
  return set > 0 ? set : Math.min(MOST_BUDGET_MS, Math.max(LEAST_BUDGET_MS, 2 * performance.now()));
}

async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the hub does not answer within ${Math.round(ms)} ms.`)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Into the folder that the client works in, which says which project and which branch it is. */
function enter(input: HookInput): void {
  const cwd = input.text("cwd");
  if (cwd === undefined || cwd === process.cwd()) return;
  try {
    process.chdir(cwd);
  } catch {
    // Gone, or not ours to enter: then the one we were started in has to do.
  }
}

/** What the agent runs later in this session, `parley inbox` for one, finds out by this who it is. */
function keepSession(input: HookInput): void {
  const file = process.env.CLAUDE_ENV_FILE;
  const id = input.session_id;
  // A newer one names it itself, also in a session that another one's command began.
  if (process.env.CLAUDE_CODE_SESSION_ID) return;
  // A shell reads that file: nothing gets there that is not plainly an id.
  if (!file || id === undefined || !/^[\w.:@-]{1,200}$/.test(id)) return;
  const line = `export CLAUDE_SESSION_ID=${id}\n`;
  const { appendFileSync, existsSync, readFileSync } = process.getBuiltinModule("node:fs");
  try {
    if (!existsSync(file) || !readFileSync(file, "utf8").includes(line)) appendFileSync(file, line);
  } catch (error) {
    // The session's mail is there all the same.
    say("SessionStart", error);
  }
}
