/**
 * An orchestrator and four agents write a report together. It may be killed at any moment and started again with the same
 * session: it then goes on where it was. See README.md.
 */
import { createClient, openWorkflow } from "../../src/client/index.ts";
import { nodeTransport } from "../../src/client/node.ts";
import { Agent, type Place } from "./agent.ts";
import { follow } from "./follow.ts";
import { competitors, finance, market, PLAN, synthesis, TEAM } from "./team.ts";

const { PARLEY_URL: url = "http://127.0.0.1:8765", PARLEY_TOKEN: token } = process.env;
const [session_id = "sess_research"] = process.argv.slice(2);
if (!token) throw new Error("Set PARLEY_TOKEN to a token of the role orchestrator.");
const say = (line: string): void => console.log(line);

await makeSession();
await research({ url, token, session_id });

/** Made once: with the same key, whoever comes after one that was killed is told of the session that it made. */
async function makeSession(): Promise<void> {
  using client = createClient({ transport: nodeTransport(url), token });
  const { expires_at } = await client.call("create_session", { session_id }, { key: session_id });
  say(`session ${session_id} until ${expires_at}`);
}

async function research(place: Place): Promise<void> {
  await using _following = await follow(place, (name, { section_name, item_id, note_id, question_id }) =>
    say(`${name} ${section_name ?? item_id ?? note_id ?? question_id}`),
  );
  using client = createClient({ transport: nodeTransport(url), token, space: session_id });
  const flow = await openWorkflow(client, {
    phases: ["plan", "market", "competitors", "finance", "synthesis"],
    onPause: ({ questions }) => {
      for (const { id, question } of questions)
        say(`waiting for an answer: ${question}\n  parley answer ${id} TEXT --space ${session_id}`);
    },
    onResume: ({ answers }) => say(`going on with: ${answers.map(({ answer }) => answer).join("; ")}`),
  });
  const as = (name: string, work: (agent: Agent) => Promise<unknown>) => async (): Promise<unknown> => {
    await using agent = await Agent.start(place, name);
    return await work(agent);
  };
  await flow.phase("plan", () => client.call("add_tasks", { tasks: PLAN }, { key: "plan" }));
  await flow.phase("market", as(TEAM[0], market));
  await flow.phase("competitors", as(TEAM[1], competitors));
  await flow.phase("finance", as(TEAM[2], finance));
  await flow.phase("synthesis", as(TEAM[3], synthesis));
  await flow.finish();
  const { content } = await client.call("draft_export", { format: "markdown" });
  say(`done\n\n${content}`);
}
