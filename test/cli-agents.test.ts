/** What an agent runs is done as that agent, or not at all: never as the owner of the data folder. */
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Ended, Ground } from "../src/testing/process.ts";

let ground: Ground;
beforeEach(() => {
  ground = new Ground({ in_process: true });
});
afterEach(() => ground[Symbol.asyncDispose]());

const SESSION = { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "s-1" };
/** An agent runs it, and nothing says which. */
const NOBODY = { CLAUDECODE: "1" };

const run = (args: string[], env: Record<string, string>): Promise<Ended> =>
  ground.parley([...args, "--json"], { env });
const errorOf = ({ code, stdout, stderr }: Ended) => ({ exit: code, stdout, ...JSON.parse(stderr).error });
const names = async (): Promise<string[]> =>
  (await ground.json<{ agents: { name: string }[] }>(["agent", "list"])).agents.map(({ name }) => name);

test("what is for people alone is refused to an agent's session, changes nothing, and says how a person does it", async () => {
  const { id } = await ground.json<{ id: string }>(["token", "create", "--role", "agent", "--name", "scout"]);
  await ground.json(["space", "create", "sess_review"]);
  const commands = [
    ["token", "create", "--role", "admin", "--name", "mallory"],
    ["token", "list"],
    ["token", "rotate", id],
    ["token", "revoke", id],
    ["token", "revoke", id, "--dry-run"],
    ["space", "create", "sess_other"],
    ["space", "list"],
    ["space", "delete", "sess_review"],
    ["agent", "register", "mason"],
    ["agent", "default", "scout"],
    ["agent", "delete", "scout"],
    ["identity", "list"],
    ["identity", "set-default", "--agent", "scout"],
    ["login"],
    ["demo"],
    ["demo", "--stop"],
    ["notices"],
    ["notice", "settle", "1"],
    ["approvals", "decide", "approve", "1"],
    ["policy", "edit", "policy.json"],
    ["stop"],
  ];
  for (const env of [SESSION, NOBODY])
    for (const command of commands) {
      const told = errorOf(await run(command, env));
      expect(told, command.join(" ")).toMatchObject({ exit: 3, stdout: "", code: "FORBIDDEN" });
      expect(told.message).toMatch(/^CLAUDECODE is set, so an agent runs this, .*PARLEY_TOKEN/);
    }
  const { tokens } = await ground.json<{ tokens: { id: string; revoked_at: string | null }[] }>(["token", "list"]);
  expect(tokens.find((token) => token.id === id)).toMatchObject({ revoked_at: null });
  const { spaces } = await ground.json<{ spaces: { space: string }[] }>(["space", "list"]);
  expect(spaces.map(({ space }) => space).sort()).toEqual(["main", "sess_review"]);
  expect(await names()).toEqual(["scout"]);
});

test("with a person's token that is given explicitly an agent's session does what that person may", async () => {
  const ana = await ground.json<{ token: string }>(["token", "create", "--role", "admin", "--name", "ana"]);
  const ben = await ground.json<{ token: string }>(["token", "create", "--role", "human", "--name", "ben"]);
  const made = await run(["space", "create", "sess_review"], { ...SESSION, PARLEY_TOKEN: ana.token });
  expect(made.code).toBe(0);
  const refused = errorOf(
    await run(["space", "delete", "sess_review", "--yes"], { ...SESSION, PARLEY_TOKEN: ben.token }),
  );
  expect(refused).toMatchObject({ exit: 3, code: "FORBIDDEN" });
  expect(refused.message).not.toContain("CLAUDECODE");
});

test("any tool that an agent's session calls is called as that agent", async () => {
  const me = await ground.json<{ principal: string; agent: string }>(["call", "whoami"], { env: SESSION });
  expect(me.agent).not.toBeNull();
  expect(me.principal).toBe(me.agent);
  const refused = errorOf(await run(["call", "token_create", '{"role":"admin","name":"mallory"}'], SESSION));
  expect(refused).toMatchObject({ exit: 3, code: "FORBIDDEN" });
  expect(refused.message).toContain(`asked as ${me.agent}`);
  expect(errorOf(await run(["call", "whoami"], NOBODY))).toMatchObject({ exit: 3, code: "NO_IDENTITY" });
});

test("an agent's session lists agents as itself, and one that is nobody yet is told so", async () => {
  const { agent } = await ground.json<{ agent: string }>(["identity", "ensure"], { env: SESSION });
  const listed = await ground.json<{ agents: { name: string }[] }>(["agent", "list"], { env: SESSION });
  expect(listed.agents.map(({ name }) => name)).toEqual([agent]);
  expect(errorOf(await run(["agent", "list"], NOBODY))).toMatchObject({ exit: 3, code: "NO_IDENTITY" });
});

test("`chat tail` follows the chat as the session's agent, and as nobody else", async () => {
  expect(errorOf(await run(["chat", "tail"], NOBODY))).toMatchObject({ exit: 3, code: "NO_IDENTITY" });
  const { agent } = await ground.json<{ agent: string }>(["identity", "ensure"], { env: SESSION });
  await ground.json(["chat", "send", "--agent", agent, "hello"]);
  const tail = ground.start(["chat", "tail", "--json"], SESSION);
  const lines = createInterface({ input: tail.stdout })[Symbol.asyncIterator]();
  expect(JSON.parse((await lines.next()).value ?? "")).toMatchObject({ content: "hello" });
  await ground.json(["stop"]);
  // By the next hub, on another port.
  await ground.json(["chat", "send", "--agent", agent, "are you there?"]);
  expect(JSON.parse((await lines.next()).value ?? "")).toMatchObject({ content: "are you there?" });
  await ground.json(["token", "create", "--role", "agent", "--name", "scout"]);
  await ground.json(["chat", "send", "--agent", "scout", "for scout alone"]);
  const foreign = errorOf(await run(["chat", "tail", "--agent", "scout"], SESSION));
  expect(foreign).toMatchObject({ exit: 4, stdout: "", code: "AGENT_NOT_FOUND" });
});

test("a session whose token was taken back is given a new one, and `chat tail` goes on with it", async () => {
  const { agent } = await ground.json<{ agent: string }>(["identity", "ensure"], { env: SESSION });
  const { tokens } = await ground.json<{ tokens: { id: string; principal: string }[] }>(["token", "list"]);
  const mine = tokens.find(({ principal }) => principal === agent);
  await ground.json(["token", "revoke", mine?.id ?? "", "--yes"]);
  await ground.json(["chat", "send", "--agent", agent, "hello again"]);
  const tail = ground.start(["chat", "tail", "--json"], SESSION);
  const [first] = await tail.stdout.setEncoding("utf8").take(1).toArray();
  expect(JSON.parse(first)).toMatchObject({ content: "hello again" });
});

test("`status`, `doctor` and completions ask the hub nothing as the owner where an agent runs them", async () => {
  await ground.json(["token", "create", "--role", "agent", "--name", "scout"]);
  const status = await ground.json<Record<string, unknown>>(["status"], { env: NOBODY });
  expect(status).toMatchObject({ status: "ready" });
  expect(status).not.toHaveProperty("agent");
  const { checks } = JSON.parse((await run(["doctor"], NOBODY)).stdout) as { checks: { message: string }[] };
  expect(checks.filter(({ message }) => message.includes("admin"))).toEqual([]);
  expect((await ground.parley(["complete", "--", "send", "--to", "sc"], { env: NOBODY })).stdout).toBe("");
  expect((await ground.parley(["complete", "--", "send", "--to", "sc"])).stdout).toBe("scout\n");
});
