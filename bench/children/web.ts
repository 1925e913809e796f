/** A hub with a long chat in it, agents that have done much, and a second one that serves a folder of fixed files instead of the app, packed. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
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

/** A record takes 50 events, and a call is two. */
const MOST_CALLS = 25;

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

interface Worker {
  actor: Awaited<ReturnType<typeof actor>>;
  fence: number;
  done: number;
  /** The turn it is at. */
  turn_id: string | undefined;
}
const workers = new Map<string, Worker>();

/** An agent that a runtime runs. */
async function workerNamed(name: string): Promise<Worker> {
  const who = await actor(await token("agent", name));
  // What `runtime_start` gives.
  const { fence } = (await call(who, "runtime_start", { driver: "bench" })) as { fence: number };
  const worker = { actor: who, fence, done: 0, turn_id: undefined };
  workers.set(name, worker);
  return worker;
}

async function record(worker: Worker, events: object[]): Promise<string | undefined> {
  const turn = worker.turn_id === undefined ? {} : { turn_id: worker.turn_id };
  const recorded = await call(worker.actor, "runtime_record", { fence: worker.fence, ...turn, events });
  // A runtime that asks for nothing is taken for gone.
  await call(worker.actor, "runtime_next", { fence: worker.fence, after_id: null });
  // What `runtime_record` gives.
  return (recorded as { ids: string[] }).ids[0];
}

/** It calls a tool so many times more, in the turn it is at. */
async function work({ agent, calls, ends }: { agent: string; calls: number; ends: boolean }): Promise<void> {
  const worker = workers.get(agent) ?? (await workerNamed(agent));
  worker.turn_id ??= await record(worker, [{ type: "TurnStarted", key: `turn-${worker.done}` }]);
  for (let left = calls; left > 0; left -= MOST_CALLS)
    await record(worker, Array.from({ length: Math.min(left, MOST_CALLS) }, () => oneCall(worker)).flat());
  if (!ends) return;
  await record(worker, [{ type: "TurnEnded", key: `end-${worker.done}`, outcome: "finished" }]);
  worker.turn_id = undefined;
}

function oneCall(worker: Worker): object[] {
  worker.done += 1;
  const call_id = `call-${worker.done}`;
  const given = JSON.stringify({ path: `src/part-${worker.done}.ts` });
  return [
    { type: "ToolCall", key: call_id, call_id, sample: worker.done, tool: "files_read", arguments: given },
    { type: "ToolOutput", key: `${call_id}:output`, call_id, outcome: "done", output: contentOf(worker.done) },
  ];
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
    work,
    /** Serves these files, by path, from another hub; gives its address. */
    serve: async ({ files, quality }: { files: Record<string, string>; quality: number }) => {
      const web = join(folder, "fixed");
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(web, path)), { recursive: true });
        writeFileSync(join(web, path), text);
        writeFileSync(
          join(web, `${path}.br`),
          brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
        );
      }
      const config = { ...readConfig({ home: join(folder, "other"), port: 0 }, {}), log_level: "silent" as const, web };
      fixed ??= (await startHub(config)).url;
      return fixed;
    },
  },
);
