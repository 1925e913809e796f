/** Agents whose turns are done by real clients: `parley agent run --driver command` and `--driver acp`. */
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PARLEY, until } from "../src/testing/process.ts";
import { Claude } from "./support/claude.ts";
import { Codex } from "./support/codex.ts";
import { Desk } from "./support/desk.ts";
import { call, codexRunCall, mcpTool, say } from "./support/script.ts";
import { BIN, CLAUDE_ACP } from "./support/versions.ts";

const LIMIT_MS = 120_000;

/** What a program of an agent has anyway, and what is ours. */
const OWN = /^(HOME|USER|SHELL|LANG|PATH|PARLEY_.*)$/;

interface Item {
  kind: string;
  outcome?: string | null;
  cost_usd?: number;
}

interface Asked {
  id: string;
  digest: string;
  tool: string;
  state: string;
}

/** An agent called scout, run in the project by what is typed behind its name. */
async function run(
  desk: Desk,
  driver: readonly string[],
  env: Record<string, string>,
  program: readonly string[] = [],
) {
  const names = Object.keys(desk.env(env)).filter((name) => !OWN.test(name));
  const passed = names.flatMap((name) => ["--env", name]);
  const typed = ["agent", "run", "scout", ...driver, ...passed, "--home", desk.ground.home];
  const child = desk.start(PARLEY, program.length > 0 ? [...typed, "--", ...program] : typed, env);
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += chunk));
  const items = async () => (await desk.call<{ items: Item[] }>("timeline_read", { agent: "scout" })).items;
  const is = async (lifecycle: string) =>
    (await desk.call<{ lifecycle: string }>("agent_status", { agent: "scout" }).catch(() => undefined))?.lifecycle ===
    lifecycle;
  await until(() => is("ready"), LIMIT_MS).catch((error: unknown) => {
    throw new Error(`It is not ready: ${printed}`, { cause: error });
  });
  const ended = (count: number): Promise<Item[]> =>
    until(async () => {
      const now = await items();
      const over = ofKind(now, "EndTurn").filter(({ outcome }) => outcome !== null);
      return over.length >= count ? now : undefined;
    }, LIMIT_MS);
  const tell = (content: string) => desk.call("chat_human_post", { agent: "scout", content });
  const stop = async (): Promise<void> => {
    const gone = once(child, "exit");
    child.kill("SIGINT");
    await gone;
  };
  return { tell, ended, stop };
}

/** Lets a call through that waits for a person. Gives what was asked. */
async function approve(desk: Desk, tool: string): Promise<Asked> {
  const asked = await until(async () => {
    const { approvals } = await desk.call<{ approvals: Asked[] }>("approval_list");
    return approvals.find((each) => each.tool === tool && each.state === "pending");
  }, LIMIT_MS);
  await desk.call("approval_decide", { id: asked.id, digest: asked.digest, decision: "approve" });
  return asked;
}

const ofKind = (items: readonly Item[], kind: string): Item[] => items.filter((item) => item.kind === kind);
/** How often it stands in a text. */
const times = (text: string, words: string): number => text.split(words).length - 1;

test("RUN-4: Claude Code does an agent's turns: told once, asking people, in a session that goes on", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  const { tell, ended } = await run(desk, ["--driver", "command", "--client", "claude"], claude.env);
  const touch = call("Bash", { command: "touch asked-for.txt && echo was-made", description: "Make a file" });
  const post = call(mcpTool("chat_assistant_post"), { content: "It is made." });
  const file = call(mcpTool("task_create"), { content: "Look at it." });
  const first = claude.model.script("first", touch, file, post, say("Nobody reads this."));
  await tell(first);
  expect(await approve(desk, "Bash")).toMatchObject({ server: "claude-code", executes: "client" });
  expect(await approve(desk, "task_create")).toMatchObject({ server: "parley" });
  const items = await ended(1);
  expect(ofKind(items, "EndTurn")).toMatchObject([{ outcome: "finished", error: null }]);
  expect(ofKind(items, "EndTurn")[0]?.cost_usd).toBeGreaterThan(0);
  expect(ofKind(items, "Tool")[0]).toMatchObject({ tool: "Bash", outcome: "done", output: "was-made" });
  expect(ofKind(items, "Task")).toMatchObject([{ content: "Look at it." }]);
  expect(ofKind(items, "AssistantMarkdown")).toMatchObject([{ content: "It is made." }]);

  await tell(claude.model.script("second", call(mcpTool("loop_yield_turn")), say("Done.")));
  expect(ofKind(await ended(2), "EndTurn")).toMatchObject([{}, { outcome: "finished" }]);
  const { text } = await claude.model.received(["was-made", "Follow the script second."]);
  expect(times(text, first)).toBe(1);
});

test("RUN-4: Codex does an agent's turns: told once, in a thread that goes on", async () => {
  await using desk = await Desk.open();
  const codex = new Codex(desk);
  const driver = ["--driver", "command", "--client", "codex", "--price", "1,10"];
  const document = { rules: [{ tool: "task_create", decision: "allow" }] };
  await desk.call("policy_set", { document, expected_version: 0 });
  const { tell, ended } = await run(desk, driver, codex.env);
  const post = codexRunCall("chat_assistant_post", { content: "It is read." });
  const file = codexRunCall("task_create", { content: "Look at it." });
  const first = codex.model.script("first", call("exec_command", { cmd: "echo was-read" }), file, post, say("So."));
  await tell(first);
  const items = await ended(1);
  expect(ofKind(items, "EndTurn")).toMatchObject([{ outcome: "finished", error: null, input_tokens: 4_000 }]);
  expect(ofKind(items, "EndTurn")[0]?.cost_usd).toBeGreaterThan(0);
  expect(ofKind(items, "Tool")[0]).toMatchObject({ outcome: "done", output: "was-read\n" });
  expect(ofKind(items, "Task")).toMatchObject([{ content: "Look at it." }]);
  expect(ofKind(items, "AssistantMarkdown")).toMatchObject([{ content: "It is read." }]);

  await tell(codex.model.script("second", codexRunCall("loop_yield_turn"), say("Done.")));
  expect(ofKind(await ended(2), "EndTurn")).toMatchObject([{}, { outcome: "finished", input_tokens: 2_000 }]);
  const { text } = await codex.model.received(["was-read", "Follow the script second."]);
  expect(times(text, first)).toBe(1);
});

test("POLICY-15: what Codex calls of the hub without asking waits for a person, and is made once that is approved", async () => {
  await using desk = await Desk.open();
  const codex = new Codex(desk);
  const { tell, ended } = await run(desk, ["--driver", "command", "--client", "codex"], codex.env);
  const file = codexRunCall("task_create", { content: "Look at it." });
  const done = codexRunCall("loop_yield_turn");
  await tell(codex.model.script("first", file, done, say("So.")));
  expect(ofKind(await ended(1), "Task")).toEqual([]);
  expect(await approve(desk, "task_create")).toMatchObject({ server: "parley", executes: "hub" });
  await tell(codex.model.script("second", file, file, done, say("Done.")));
  expect(ofKind(await ended(2), "Task")).toMatchObject([{ content: "Look at it." }]);
});

test("RUN-4: an agent that speaks ACP, with Claude Code inside, does an agent's turns: told once, asking people, in a session that goes on", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  const env = { ...claude.env, CLAUDE_CODE_EXECUTABLE: join(BIN, "claude") };
  const program = [process.execPath, CLAUDE_ACP];
  const agent = await run(desk, ["--driver", "acp"], env, program);
  const touch = call("Bash", { command: "touch asked-for.txt && echo was-made", description: "Make a file" });
  const post = call(mcpTool("chat_assistant_post"), { content: "It is made." });
  const first = claude.model.script("first", touch, post, say("Nobody reads this."));
  await agent.tell(first);
  expect(await approve(desk, "Bash")).toMatchObject({ server: "acp", executes: "client" });
  const items = await agent.ended(1);
  expect(ofKind(items, "EndTurn")).toMatchObject([{ outcome: "finished", error: null }]);
  expect(ofKind(items, "EndTurn")[0]?.cost_usd).toBeGreaterThan(0);
  expect(ofKind(items, "Tool")).toMatchObject([{ tool: "Bash", outcome: "done" }]);
  expect(ofKind(items, "AssistantMarkdown")).toMatchObject([{ content: "It is made." }]);

  await agent.stop();
  const next = await run(desk, ["--driver", "acp"], env, program);
  await next.tell(claude.model.script("second", call(mcpTool("loop_yield_turn")), say("Done.")));
  expect(ofKind(await next.ended(2), "EndTurn")).toMatchObject([{}, { outcome: "finished" }]);
  const { text } = await claude.model.received(["was-made", "Follow the script second."]);
  expect(times(text, first)).toBe(1);
});
