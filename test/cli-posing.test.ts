/** What an agent runs acts as the session around it, and as nobody else: not by a name, a session or the outbox. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Ground } from "../src/testing/process.ts";

let ground: Ground;
beforeEach(async () => {
  ground = new Ground({ in_process: true });
  await ground.host();
  await ground.json(["agent", "register", "scout"]);
});
afterEach(() => ground[Symbol.asyncDispose]());

type Env = Record<string, string>;
/** An agent runs it, and nothing says which. */
const NOBODY: Env = { CLAUDECODE: "1" };
const claude = (session: string): Env => ({ CLAUDECODE: "1", CLAUDE_SESSION_ID: session });

const ensure = async (env: Env): Promise<string> =>
  (await ground.json<{ agent: string }>(["identity", "ensure"], { env })).agent;
const refusal = async (args: string[], env: Env) => {
  const { code, stdout, stderr } = await ground.parley([...args, "--json"], { env });
  expect([args.join(" "), stdout]).toEqual([args.join(" "), ""]);
  const { error } = JSON.parse(stderr);
  return { exit: code, code: error.code, message: error.message };
};
const letter = (subject: string, ...more: string[]): string[] => [
  "send",
  "--to",
  "scout",
  "--subject",
  subject,
  "--body",
  "B",
  ...more,
];
const received = async (): Promise<{ from: string; subject: string }[]> =>
  (await ground.json<{ messages: { from: string; subject: string }[] }>(["inbox", "--agent", "scout"])).messages.map(
    ({ from, subject }) => ({ from, subject }),
  );
const kept = (): unknown[] => globSync(join(ground.home, "outbox", "*.json")).map((path) => readFileSync(path, "utf8"));

test("an agent's session reads and sends as no other agent, by its name or by its session, online or kept for later", async () => {
  const victim = await ensure(claude("s-victim"));
  await ground.json(["send", "--to", victim, "--subject", "secret", "--body", "B"]);
  await ensure(claude("s-known"));
  for (const env of [NOBODY, claude("s-new"), claude("s-known")])
    for (const [as, codes] of [
      [
        ["--agent", victim],
        ["AMBIGUOUS_IDENTITY", "NO_IDENTITY"],
      ],
      [["--session-id", "s-victim"], ["FORBIDDEN"]],
      [["--session-id", "s-victim", "--agent", victim], ["FORBIDDEN"]],
    ] as const)
      for (const command of [["inbox"], ["poll"], ["whoami"], letter("forged"), letter("forged", "--queue-only")]) {
        const told = await refusal([...command, ...as], env);
        expect(codes).toContain(told.code);
        expect(told.exit).toBe(told.code === "AMBIGUOUS_IDENTITY" ? 5 : 3);
      }
  expect([await received(), kept()]).toEqual([[], []]);
});

test("an agent that was registered, or works by a token of its own, is nobody's to become", async () => {
  for (const env of [claude("s-new"), NOBODY])
    for (const command of [
      ["inbox"],
      ["identity", "ensure"],
      ["send", "--to", "User", "--subject", "S", "--body", "B"],
    ])
      expect(["AMBIGUOUS_IDENTITY", "NAME_TAKEN", "NO_IDENTITY"]).toContain(
        (await refusal([...command, "--agent", "scout"], env)).code,
      );
  // A person still acts as it, and a session still takes a name that is free.
  expect(await received()).toEqual([]);
  expect(await ground.json(["identity", "ensure", "--agent", "mason"], { env: claude("s-new") })).toMatchObject({
    agent: "mason",
  });
});

test("a person may have a new session go on as an agent that was there before", async () => {
  const args = ["identity", "ensure", "--session-id", "s-new", "--agent", "scout"];
  expect(await ground.json(args)).toMatchObject({ agent: "scout" });
  expect(await ground.json(["whoami"], { env: claude("s-new") })).toMatchObject({ agent: "scout" });
});

test("kept for later under a name that turns out to be another's, it is refused and never sent in that name", async () => {
  const args = ["send", "--to", "User", "--subject", "forged", "--body", "B", "--queue-only", "--agent", "scout"];
  await ground.json(args, { env: claude("s-new") });
  const { stderr } = await ground.parley(["agent", "list"]);
  expect(stderr).toMatch(/^parley: The send of \d\d:\d\d was refused \((AMBIGUOUS_IDENTITY|NAME_TAKEN)\): /);
  expect(await ground.json(["queue", "list"])).toMatchObject({
    pending: [],
    refused: [{ args: { subject: "forged" } }],
  });
  expect(await ground.json(["inbox"])).toMatchObject({ messages: [] });
});

test("what an agent's session keeps for later is sent as that agent, by a person's command too", async () => {
  const me = await ensure(claude("s-me"));
  await ground.json(letter("one", "--queue-only"), { env: claude("s-me") });
  await ground.json(letter("two", "--queue-only", "--agent", me), { env: claude("s-me") });
  await ground.json(letter("three", "--queue-only"), { env: claude("s-later") });
  await ground.json(["agent", "list"]);
  const later = await ensure(claude("s-later"));
  expect(await received()).toEqual([
    { from: later, subject: "three" },
    { from: me, subject: "two" },
    { from: me, subject: "one" },
  ]);
});

test("where no session is named an agent is the default that a person chose for its project, kept for later too", async () => {
  const project = join(ground.folder, "shop");
  await ground.json(["agent", "register", "mason"]);
  await ground.json(["identity", "set-default", "--agent", "mason", "--project", project]);
  expect(await ground.json(["whoami", "--project", project])).toMatchObject({ agent: "mason" });
  const env = { ...NOBODY, CLAUDE_PROJECT_DIR: project };
  expect(await ground.json(["whoami", "--agent", "mason"], { env })).toMatchObject({ agent: "mason" });
  await ground.json(letter("one", "--queue-only"), { env });
  await ground.json(["agent", "list"]);
  expect(await received()).toEqual([{ from: "mason", subject: "one" }]);
});

test("an agent may name itself, and its own session", async () => {
  const me = await ensure(claude("s-me"));
  for (const as of [
    ["--agent", me],
    ["--session-id", "s-me"],
    ["--session-id", "s-me", "--agent", me],
  ])
    expect(await ground.json(["whoami", ...as], { env: claude("s-me") })).toMatchObject({ agent: me });
});

test("where a client names no session the one that is typed counts, and stays the same agent", async () => {
  const env = { CURSOR_AGENT: "1" };
  const { agent } = await ground.json<{ agent: string }>(["identity", "ensure", "--session-id", "c-1"], { env });
  expect(await ground.json(["whoami", "--session-id", "c-1"], { env })).toMatchObject({ agent });
});

test("a token that is given stands for its holder, whatever else is said", async () => {
  const { token } = await ground.json<{ token: string }>(["token", "create", "--role", "agent", "--name", "mason"]);
  const env = { ...claude("s-1"), PARLEY_TOKEN: token };
  expect(await ground.json(["whoami", "--agent", "mason"], { env })).toMatchObject({ agent: "mason" });
  expect(await refusal(["whoami", "--agent", "scout"], env)).toMatchObject({ exit: 5, code: "AMBIGUOUS_IDENTITY" });
  await ground.json(letter("by mason", "--queue-only"), { env });
  await ground.json(["agent", "list"]);
  expect(await received()).toEqual([]);
  await ground.json(["whoami"], { env });
  expect(await received()).toEqual([{ from: "mason", subject: "by mason" }]);
});

test("an agent does not choose a project's default, by which it would be another", async () => {
  const victim = await ensure(claude("s-victim"));
  for (const env of [NOBODY, claude("s-1")])
    expect(await refusal(["identity", "set-default", "--agent", victim], env)).toMatchObject({
      exit: 3,
      code: "FORBIDDEN",
    });
});
