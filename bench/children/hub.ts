/** The hub as it is served, on a free port, with a limit on calls that no load reaches. */
import { answerBench, folder } from "./answering.ts";
import { startBenchHub } from "./bench-hub.ts";

const bench = await startBenchHub(folder);
await bench.token("agent", "scout");
answerBench(
  { port: Number(new URL(bench.running.url).port) },
  {
    token: ({ role, name }: { role: string; name: string }) => bench.token(role, name),
    space: ({ id }: { id: string }) => bench.space(id),
  },
);
