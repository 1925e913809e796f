/** What the demo agent does about what, by fixed rules: no model, no surprise. */

import { jsonIn } from "../core/io.ts";

/** What was said to it, and what came of what it did about that so far, one output a step. */
export interface Asked {
  content: string;
  outputs: string[];
  /** How many of them there were when it was last taken up. */
  from: number;
}

/** Where it runs. */
export interface Surroundings {
  /** What time it is for the hub. */
  now: () => number;
  /** A command as a person types it here. */
  line: (command: string) => string;
}

interface Circumstances extends Surroundings {
  /** Somebody has said something since, and waits. */
  is_asked: boolean;
  /** Something else was put off, too, and it is that one's turn. */
  is_others_turn: boolean;
  /** Steps since it was taken up. */
  since: number;
}

export interface Step {
  tool: string;
  arguments: Record<string, unknown>;
}

/** Not through, but everything else goes first. */
export const LATER = "later";

/** The next step, or nothing when it is through. It follows from its arguments alone. */
type Rule = (rest: string, outputs: readonly string[], circumstances: Circumstances) => Step | typeof LATER | undefined;

const HELLO = `Hello! I am a small demo without a model: everything I do goes by fixed rules. Try, one after the other:

- **ask** asks you something, under *Needs you*; I go on once you have answered
- **run** asks whether it may run a program, under *Needs you*; it runs once you approve, and never if you deny
- **task** files a task, under *Tasks*
- **help** lists everything else

What I do stands here between what we say: open it to see its arguments and what came of it.`;

const HELP = `I know these words:

- **help** shows this
- **ask** asks you something, and waits for the answer
- **run** asks whether I may run \`date\`, and waits for you
- **task** *something* files a task, for which a worker may come
- **echo** *something* says it again
- **time** tells what time it is for the hub
- **code** shows a piece of code
- **markdown** shows what a message may look like
- **long** *lines* says a lot, 200 lines if you name no number`;

const CODE = `This is how a program says something here:

\`\`\`ts
const response = await fetch("http://127.0.0.1:8765/api/tools/chat_human_post", {
  method: "POST",
  headers: { authorization: \`Bearer \${token}\`, "content-type": "application/json" },
  body: JSON.stringify({ content: "hello" }),
});
console.log(await response.json());
\`\`\``;

const MARKDOWN = `# A heading

Some **bold**, some *emphasis*, some \`code\` and a [link](https://modelcontextprotocol.io).

1. one
2. two
   - and a half

> Somebody said this.

| what | how many |
|---|---:|
| hubs | 1 |
| agents | some |`;

const MOST_LINES = 5000;

/** A call that waits hears of nothing else: the longer nobody speaks, the longer it may be. */
const FIRST_WAIT_SECONDS = 2;
const LONGEST_WAIT_SECONDS = 20;
/** A turn does not go on for ever. */
const MOST_WAITS = 150;
const CITIES = ["Prague", "Brno", "Ostrava"];

const say = (content: string): Step => ({ tool: "chat_assistant_post", arguments: { content } });

/** One that only says something. */
const saying =
  (what: (rest: string, now: number) => string): Rule =>
  (rest, outputs, { now }) =>
    outputs.length === 0 ? say(what(rest, now())) : undefined;

/** One that does something, and then says what came of it. */
const doing =
  (step: (rest: string) => Step, then: (output: Record<string, unknown>, line: Surroundings["line"]) => string): Rule =>
  (rest, outputs, { line }) => {
    const [output] = outputs;
    if (output === undefined) return step(rest);
    return outputs.length === 1 ? say(reportOf(output, (done) => then(done, line))) : undefined;
  };

const ask: Rule = (_, outputs, circumstances) => {
  const [added, ...since] = outputs;
  if (added === undefined)
    return {
      tool: "add_question",
      arguments: { question: "Which city shall I look at?", options: CITIES, blocking: true },
    };
  const { question_id } = parsed(added) ?? {};
  if (question_id === undefined) return since.length === 0 ? say(reportOf(added, () => "")) : undefined;
  return answerTo(question_id, since.map(parsed), circumstances);
};

/** An answer that comes when it has gone on with something else is taken, too. */
function answerTo(
  question_id: unknown,
  outputs: readonly ReturnType<typeof parsed>[],
  { is_asked, is_others_turn, since }: Circumstances,
): Step | typeof LATER | undefined {
  const last = outputs.at(-1);
  const waits = outputs.filter((output) => output?.state !== undefined);
  const { state, answer } = waits.at(-1) ?? {};
  const has_spoken = waits.length < outputs.length;
  if (has_spoken && last?.state === undefined && (state !== "open" || last?.code !== undefined)) return undefined;
  if (state !== undefined && state !== "open")
    return say(state === "answered" ? `**${answer}** it is. Thank you!` : "I see: nobody wants to say.");
  if (waits.length >= MOST_WAITS)
    return has_spoken && last?.state === undefined ? undefined : say("Nobody has answered: I no longer wait for it.");
  if (state === "open" && is_asked)
    return has_spoken ? LATER : say("You have said something else: I go on with that, and keep my question open.");
  if (state === "open" && is_others_turn) return LATER;
  const wait_seconds = Math.min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS + since);
  return { tool: "question_wait", arguments: { question_id, wait_seconds } };
}

const RULES: Readonly<Record<string, Rule>> = {
  help: saying(() => HELP),
  ask,
  run: doing(
    () => ({ tool: "runtime_exec", arguments: { cmd: ["date"] } }),
    ({ stdout }) => `You let me, and it printed: ${String(stdout).trim()}`,
  ),
  task: doing(
    (rest) => ({ tool: "task_create", arguments: { content: rest || "Count the cafés of Brno" } }),
    (_, line) =>
      `I have filed it. It waits under *Tasks* until a worker takes it; \`${line("task next")}\` makes you one.`,
  ),
  echo: saying((rest) => rest || "(nothing)"),
  time: saying((_, now) => `It is ${new Date(now).toISOString()} for the hub.`),
  code: saying(() => CODE),
  markdown: saying(() => MARKDOWN),
  long: saying((rest) => {
    const lines = Math.min(MOST_LINES, Math.max(1, Number.parseInt(rest, 10) || 200));
    return Array.from({ length: lines }, (_, at) => `Line ${at + 1} of ${lines}: the quick brown fox jumps.`).join(
      "\n\n",
    );
  }),
};

const unknown = (content: string): Rule =>
  saying(() => `You said ${content.length} characters. I know only a few words: say **help**.`);

/** Nothing was said: it begins by itself. And what most people say first. */
const hello = saying(() => HELLO);
const GREETINGS = ["hello", "hi", "hey"];

export function nextStep(
  { content, outputs }: Pick<Asked, "content" | "outputs">,
  circumstances: Circumstances,
): ReturnType<Rule> {
  const [, word = "", rest = ""] = /^\s*([A-Za-z]+)[\s:,.!?]*([\s\S]*)$/.exec(content) ?? [];
  const name = word.toLowerCase();
  const known = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
  const rule = content === "" || GREETINGS.includes(name) ? hello : (known ?? unknown(content));
  return rule(rest.trim(), outputs, circumstances);
}

/** What to say of what came of a step: what a tool has against it in its own words. */
function reportOf(output: string, then: (output: Record<string, unknown>) => string): string {
  const done = parsed(output);
  return done && done.code === undefined ? then(done) : `That did not work: ${output}`;
}

function parsed(output: string): Record<string, unknown> | undefined {
  const value = jsonIn(output);
  return typeof value === "object" && value !== null ? { ...value } : undefined;
}
