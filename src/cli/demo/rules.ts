/** What the demo agent does about what, by fixed rules: no model, no surprise. */

import { jsonIn } from "../core/io.ts";

/** What was said to it, and what came of what it did about that so far, one output a step. */
export interface Asked {
  content: string;
  outputs: string[];
}

interface Circumstances {
  /** What time it is for the hub. */
  now: number;
  /** Somebody has said something since, and waits. */
  is_asked: boolean;
}

export interface Step {
  tool: string;
  arguments: Record<string, unknown>;
}

/** The next step, or nothing when it is through. It follows from its arguments alone. */
type Rule = (rest: string, outputs: readonly string[], circumstances: Circumstances) => Step | undefined;

const HELLO = `Hello! I am a small demo without a model: everything I do goes by fixed rules. Try, one after the other:

- **note** pins something on the corkboard, under *Workspace*
- **ask** asks you something, under *Needs you*; I go on once you have answered
- **run** asks whether it may run a program, under *Needs you*; it runs once you approve, and never if you deny
- **task** files a task, under *Tasks*
- **help** lists everything else

What I do stands here between what we say: open it to see its arguments and what came of it.`;

const HELP = `I know these words:

- **help** shows this
- **note** *something* pins a note on the corkboard
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

const WAIT_SECONDS = 20;
const CITIES = ["Prague", "Brno", "Ostrava"];

const say = (content: string): Step => ({ tool: "chat_assistant_post", arguments: { content } });

/** One that only says something. */
const saying =
  (what: (rest: string, now: number) => string): Rule =>
  (rest, outputs, { now }) =>
    outputs.length === 0 ? say(what(rest, now)) : undefined;

/** One that does something, and then says what came of it. */
const doing =
  (step: (rest: string) => Step, then: (output: Record<string, unknown>) => string): Rule =>
  (rest, outputs) => {
    const [output] = outputs;
    if (output === undefined) return step(rest);
    return outputs.length === 1 ? say(reportOf(output, then)) : undefined;
  };

const ask: Rule = (_, outputs, { is_asked }) => {
  const [added, ...waited] = outputs;
  if (added === undefined)
    return {
      tool: "add_question",
      arguments: { question: "Which city shall I look at?", options: CITIES, blocking: true },
    };
  const { question_id } = parsed(added) ?? {};
  if (question_id === undefined) return waited.length === 0 ? say(reportOf(added, () => "")) : undefined;
  const { state, answer } = parsed(waited.at(-1) ?? "{}") ?? {};
  if (state === "open" && is_asked)
    return say("You have said something else: I go on with that, and keep my question open.");
  if (state === undefined && waited.length > 0) return undefined;
  if (state === undefined || state === "open")
    return { tool: "question_wait", arguments: { question_id, wait_seconds: WAIT_SECONDS } };
  return say(state === "answered" ? `**${answer}** it is. Thank you!` : "I see: nobody wants to say.");
};

const RULES: Readonly<Record<string, Rule>> = {
  help: saying(() => HELP),
  note: doing(
    (rest) => ({ tool: "add_note", arguments: { content: rest || "Prague has 412 cafés", tags: ["demo"] } }),
    () => "I have pinned it on the corkboard, under *Workspace*.",
  ),
  ask,
  run: doing(
    () => ({ tool: "runtime_exec", arguments: { cmd: ["date"] } }),
    ({ stdout }) => `You let me, and it printed: ${String(stdout).trim()}`,
  ),
  task: doing(
    (rest) => ({ tool: "task_create", arguments: { content: rest || "Count the cafés of Brno" } }),
    () => "I have filed it. It waits under *Tasks* until a worker takes it; `parley task next` makes you one.",
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

/** Nothing was said: it begins by itself. */
const hello = saying(() => HELLO);

export function nextStep({ content, outputs }: Asked, circumstances: Circumstances): Step | undefined {
  const [, word = "", rest = ""] = /^\s*([A-Za-z]+)[\s:,.!?]*([\s\S]*)$/.exec(content) ?? [];
  const name = word.toLowerCase();
  const known = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
  const rule = content === "" ? hello : (known ?? unknown(content));
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
