/** `parley agent run`, as typed: an agent that answers by a script, alone and in the hub, and that is killed at its work. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { type Caller, callUntilKnown } from "../src/testing/crowd.ts";
import { ModelServer, openaiEvents, streams } from "../src/testing/model-server.ts";
import { type Child, exited, Ground, until } from "../src/testing/process.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";

const SCRIPT = {
  rules: [
    {
      when: "^mail (?<to>\\w+)",
      steps: [
        { tool: "mail_send", arguments: { to: ["ben"], subject: "{{text}}", body: "b" } },
        post("Sent: {{result}}"),
      ],
    },
    { when: "^both$", steps: [[post("one"), post("two")]] },
    { when: "^plain$", steps: [{ text: "Nobody sees this." }, post("But this.")] },
    { when: "", steps: [post("You said {{text}}")] },
  ],
};

function post(content: string) {
  return { tool: "chat_assistant_post", arguments: { content } };
}

interface Item {
  kind: string;
  content?: string;
  outcome?: string | null;
  tool?: string;
}

const itemsOf = async (caller: Caller): Promise<Item[]> =>
  (await callUntilKnown(caller, "timeline_read", { agent: "scout", limit: 500 })).body.items;
const saidBy = async (caller: Caller): Promise<string[]> =>
  (await itemsOf(caller)).flatMap(({ kind, content }) => (kind === "AssistantMarkdown" ? (content ?? "") : []));
const ends = async (caller: Caller) =>
  (await itemsOf(caller)).flatMap(({ kind, outcome }) => (kind === "EndTurn" ? outcome : []));
const statusOf = async (caller: Caller) => (await callUntilKnown(caller, "agent_status", { agent: "scout" })).body;
const resting = (caller: Caller) => until(async () => (await statusOf(caller)).turn?.ended_at);
const tell = (caller: Caller, content: string) =>
  callUntilKnown(caller, "chat_human_post", { content, agent: "scout" }, content);

/** As a person would who lets it send mail. */
const allowMail = (caller: Caller) =>
  callUntilKnown(caller, "policy_set", {
    document: { rules: [{ tool: "mail_send", server: "parley", decision: "allow" }] },
    expected_version: 0,
  });

const scriptIn = (ground: Ground): string => {
  const path = join(ground.folder, "script.json");
  writeFileSync(path, JSON.stringify(SCRIPT));
  return path;
};

/** Ready when the hub says so, of this start of it. */
async function started(child: Child, ana: Caller, generation: number): Promise<{ agent: string; pid: number }> {
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  await until(async () => {
    const status = await statusOf(ana);
    return status.generation === generation && status.lifecycle === "ready";
  });
  return JSON.parse(line);
}

eachDatabaseOfHubs((database) => {
  test("an agent runs by a script, elsewhere and in the hub; whoever starts last runs it; it goes on after restarts", async () => {
    await using restarts = await Restarts.on(database);
    await restarts.start();
    const { ground } = restarts;
    const [ana, scout] = [await restarts.token("human", "ana"), await restarts.token("agent", "scout")];
    await restarts.token("human", "ben");
    await allowMail(ana);
    const script = scriptIn(ground);
    const elsewhere = { PARLEY_URL: restarts.hub.url, PARLEY_TOKEN: scout.token };
    const run = (env: Record<string, string>) =>
      ground.start(["agent", "run", "scout", "--json", "--script", script], env);

    const first = run(elsewhere);
    expect(await started(first, ana, 1)).toEqual({ agent: "scout", pid: first.pid });
    await tell(ana, "hello");
    await until(async () => (await saidBy(ana)).includes("You said hello"));
    await tell(ana, "mail ben");
    await until(async () => (await saidBy(ana)).some((text) => text.startsWith('Sent: {"id":"')));
    await tell(ana, "both");
    await until(async () => (await saidBy(ana)).includes("two"));
    await tell(ana, "plain");
    await until(async () => (await saidBy(ana)).includes("But this."));
    expect(JSON.stringify(await itemsOf(ana))).not.toContain("Nobody sees this");

    await resting(ana);
    // With the data folder's own credential, which makes one for the agent.
    const second = run({});
    await exited(first);
    expect(first.exitCode).toBe(0);
    await started(second, ana, 2);
    await tell(ana, "second");
    await until(async () => (await saidBy(ana)).includes("You said second"));

    // The hub goes away under it and comes back.
    await resting(ana);
    await restarts.kill();
    await restarts.start();
    await tell(ana, "after the hub was killed");
    await until(async () => (await saidBy(ana)).includes("You said after the hub was killed"));

    await resting(ana);
    const inHub = await ground.json<{ in_hub: boolean }>(["agent", "run", "scout", "--script", script, "--in-hub"]);
    expect(inHub.in_hub).toBe(true);
    await exited(second);
    await tell(ana, "third");
    await until(async () => (await saidBy(ana)).includes("You said third"));
    await resting(ana);
    await restarts.kill();
    await restarts.start();
    await tell(ana, "fourth");
    await until(async () => (await saidBy(ana)).includes("You said fourth"));
    await resting(ana);
    await ground.json(["agent", "stop", "scout"]);
    await until(async () => (await statusOf(ana)).lifecycle === "stopped");
    expect(new Set(await ends(ana))).toEqual(new Set(["finished"]));

    const listed = await ground.json<{ items: Item[] }>(["timeline", "scout", "--limit", "3"]);
    expect(listed.items.map(({ kind }) => kind)).toEqual(["UserMessage", "AssistantMarkdown", "EndTurn"]);
    // Each message was answered once.
    const said = await saidBy(ana);
    expect(said).toEqual([...new Set(said)]);
  });

  test("CRASH-3: killed before a tool was run, or after, it is not run again, and the turn is interrupted", async () => {
    await using restarts = await Restarts.on(database);
    await restarts.start();
    const { ground } = restarts;
    const [ana, scout] = [await restarts.token("human", "ana"), await restarts.token("agent", "scout")];
    const ben = await restarts.token("human", "ben");
    await allowMail(ana);
    const script = scriptIn(ground);
    const env = { PARLEY_URL: restarts.hub.url, PARLEY_TOKEN: scout.token };
    const run = (more: Record<string, string> = {}) =>
      ground.start(["agent", "run", "scout", "--json", "--script", script], { ...env, ...more });
    const mails = async (): Promise<string[]> =>
      (await callUntilKnown(ben, "mail_inbox", {})).body.messages.map(({ subject }: { subject: string }) => subject);
    let generation = 0;
    for (const [point, sent] of [
      ["tool.before_run@mail_send", []],
      ["tool.after_run@mail_send", ["mail tool.after_run@mail_send"]],
    ] as const) {
      const child = run({ PARLEY_FAILPOINT: `${point}:kill` });
      await tell(ana, `mail ${point}`);
      await exited(child);
      expect([point, child.signalCode]).toEqual([point, "SIGKILL"]);
      generation += 2;
      const next = run();
      await started(next, ana, generation);
      expect([point, (await ends(ana)).at(-1)]).toEqual([point, "interrupted"]);
      await tell(ana, `${point}: and now?`);
      await until(async () => (await saidBy(ana)).includes(`You said ${point}: and now?`));
      expect([point, await mails()]).toEqual([point, sent]);
      next.kill("SIGTERM");
      await exited(next);
    }
    expect((await itemsOf(ana)).filter(({ kind }) => kind === "Tool")).toMatchObject([
      { tool: "mail_send", outcome: "interrupted" },
      { tool: "mail_send", outcome: "interrupted" },
    ]);
  });
});

test("a script that is wrong is refused before anything is started, with where it is wrong", async () => {
  await using ground = new Ground();
  await ground.serve();
  const path = join(ground.folder, "wrong.json");
  const run = async (script: string) => {
    writeFileSync(path, script);
    const { code, stderr } = await ground.parley(["agent", "run", "scout", "--script", path]);
    return [code, stderr] as const;
  };
  expect(await run("{")).toEqual([2, expect.stringContaining("wrong.json")]);
  expect(await run('{"rules":[{"when":"(","steps":[]}]}')).toEqual([2, expect.stringContaining("script.rules.0.when")]);
  expect(await run('{"rules":[{"when":"a","steps":[{"tol":"x"}]}]}')).toEqual([2, expect.stringContaining("steps.0")]);
  expect((await ground.parley(["agent", "run", "scout"])).stderr).toContain("--script FILE");
});

test("an agent runs by a model's endpoint, with the key that its variable holds; what is missing is said before", async () => {
  await using ground = new Ground();
  await ground.serve();
  const server = await ModelServer.open();
  const run = ["agent", "run", "scout", "--driver", "openai"];
  const refused = async (...more: string[]) => {
    const { code, stderr } = await ground.parley([...run, ...more]);
    return [code, stderr];
  };
  expect(await refused()).toEqual([2, expect.stringContaining("--model MODEL")]);
  expect(await refused("--model", "m", "--price", "cheap")).toEqual([2, expect.stringContaining("3,15")]);
  expect(await refused("--model", "m", "--base-url", "nowhere")).toEqual([2, expect.stringContaining("base_url")]);
  expect(await refused("--model", "m", "--api-key-env", "HOME")).toEqual([2, expect.stringContaining("_API_KEY")]);

  const post = { tool: "chat_assistant_post", arguments: '{"content":"Hi."}' };
  server.replies(streams(openaiEvents({ calls: [post, { tool: "loop_yield_turn", arguments: "{}" }] })));
  const options = ["--model", "m", "--base-url", `${server.url}/v1`, "--api-key-env", "MY_API_KEY", "--price", "3,15"];
  ground.start([...run, "--json", ...options], { MY_API_KEY: "secret" });
  await until(async () => (await ground.parley(["agent", "status", "scout"])).code === 0);
  await ground.json(["chat", "send", "--agent", "scout", "hello"]);
  await until(async () => {
    const { items } = await ground.json<{ items: Item[] }>(["timeline", "scout"]);
    return items.some(({ kind, content }) => kind === "AssistantMarkdown" && content === "Hi.");
  });
  expect(server.asked[0]).toMatchObject({ url: "/v1/chat/completions", headers: { authorization: "Bearer secret" } });
});
