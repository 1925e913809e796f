/** What the demo agent says to what, by fixed rules: no model, no surprise. */

interface Asked {
  content: string;
  /** What time it is for the hub. */
  now: number;
}

const HELP = `I am a small demo without a model, and know these words:

- **help** shows this
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

const RULES: Readonly<Record<string, (rest: string, asked: Asked) => string>> = {
  help: () => HELP,
  echo: (rest) => rest || "(nothing)",
  time: (_, { now }) => `It is ${new Date(now).toISOString()} for the hub.`,
  code: () => CODE,
  markdown: () => MARKDOWN,
  long: (rest) => {
    const lines = Math.min(MOST_LINES, Math.max(1, Number.parseInt(rest, 10) || 200));
    return Array.from({ length: lines }, (_, at) => `Line ${at + 1} of ${lines}: the quick brown fox jumps.`).join(
      "\n\n",
    );
  },
};

export function demoAnswer(asked: Asked): string {
  const [, word = "", rest = ""] = /^\s*([A-Za-z]+)[\s:,.!?]*([\s\S]*)$/.exec(asked.content) ?? [];
  const name = word.toLowerCase();
  if (Object.hasOwn(RULES, name)) return RULES[name]?.(rest.trim(), asked) ?? HELP;
  return `You said ${asked.content.length} characters. I know only a few words: say **help**.`;
}
