/** A hub with a long chat in it, and a second one that serves a folder of fixed files instead of the app, packed. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { startHub } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { answerBench, folder } from "./answering.ts";
import { startBenchHub } from "./bench-hub.ts";

const WORDS =
  "The second build is **green**; `resize()` runs after the window exists, and the log says so in line".split(" ");

/** As people and agents write: mostly a line or two, now and then a list or some code. */
function contentOf(at: number): string {
  const line = `Message ${at}: ${Array.from({ length: 4 + ((at * 7) % 40) }, (_, n) => WORDS[(at + n) % WORDS.length]).join(" ")}`;
  if (at % 11 === 0) return `${line}\n\n\`\`\`ts\nconst answer = ${at};\nreturn answer * 2;\n\`\`\``;
  return at % 7 === 0 ? `${line}\n\n- one\n- [two](https://example.com/${at})\n- three` : line;
}

const { running, token, actor, call } = await startBenchHub(join(folder, "hub"));
const ana = await actor(await token("human", "ana"));
const scout = await actor(await token("agent", "scout"));
let said = 0;

async function say(): Promise<void> {
  said += 1;
  const content = contentOf(said);
  if (said % 3 === 0) await call(ana, "chat_human_post", { content, agent: "scout" });
  else await call(scout, "chat_assistant_post", { content });
}

let fixed: string | undefined;

answerBench(
  { url: running.url },
  {
    link: async () => running.url + (await running.loginPath()),
    /** Says so many more things. */
    say: async ({ times }: { times: number }) => {
      while (said < times) await Promise.all(Array.from({ length: Math.min(100, times - said) }, say));
    },
    say_one: say,
    /** Serves these files, by path, from another hub; gives its address. */
    serve: async ({ files }: { files: Record<string, string> }) => {
      const web = join(folder, "fixed");
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(web, path)), { recursive: true });
        writeFileSync(join(web, path), text);
        writeFileSync(join(web, `${path}.br`), brotliCompressSync(text));
      }
      const config = { ...readConfig({ home: join(folder, "other"), port: 0 }, {}), log_level: "silent" as const, web };
      fixed ??= (await startHub(config)).url;
      return fixed;
    },
  },
);
