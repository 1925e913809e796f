/** An orchestrator as a process of its own, for tests that kill it: it notes in a file what it did. */
import { appendFileSync } from "node:fs";
import { createClient, openWorkflow } from "../../client/index.ts";
import { nodeTransport } from "../../client/node.ts";

const [url = "", token = "", file = ""] = process.argv.slice(2);
const note = (line: string): void => appendFileSync(file, `${line}\n`);
const PHASES = ["market", "competitor", "finance"];

const client = createClient({ transport: nodeTransport(url), token });
const flow = await openWorkflow(client, {
  phases: PHASES,
  onPause: ({ reason }) => note(`paused ${reason}`),
  onResume: ({ state, answers }) => note(`${state} ${answers.map(({ answer }) => answer).join(",")}`),
});
for (const phase of PHASES) await flow.phase(phase, async () => note(phase));
await flow.finish();
note("done");
client[Symbol.dispose]();
