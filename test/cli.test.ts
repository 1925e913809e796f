/** Every command against a real hub. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ended, Ground, type HostedHub, PARLEY, until } from "../src/testing/process.ts";

const ground = new Ground({ in_process: true });
let hub: HostedHub;
beforeAll(async () => {
  hub = await ground.host();
});
afterAll(() => ground[Symbol.asyncDispose]());

interface Token {
  token: string;
  id: string;
  principal: string;
  space: string;
}
const tokenFor = (role: string, name: string, ...more: string[]): Promise<Token> =>
  ground.json(["token", "create", "--role", role, "--name", name, ...more]);
const text = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await ground.parley([...args, "--format", "text"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
};
/** Exit code and the error as a program sees it. */
const refusal = async (args: string[], env: Record<string, string> = {}): Promise<[number | null, string]> => {
  const { code, stdout, stderr } = await ground.parley(args, { env });
  expect(stdout).toBe("");
  return [code, JSON.parse(stderr).error.code];
};

describe("tokens", () => {
  test("are created with role and name, and whoever has one acts as that principal", async () => {
    const scout = await tokenFor("agent", "scout");
    expect(scout).toMatchObject({ principal: "scout", space: "main", token: expect.stringMatching(/^parley_/) });
    const me = await ground.json(["whoami"], { env: { PARLEY_TOKEN: scout.token } });
    expect(me).toMatchObject({ principal: "scout", kind: "agent", roles: ["agent"], space: "main", agent: "scout" });
    expect(await ground.json(["whoami"])).toMatchObject({ roles: expect.arrayContaining(["admin"]) });
  });

  test("are listed without their secrets", async () => {
    const { id, token } = await tokenFor("human", "ana");
    const list = await ground.parley(["token", "list", "--json"]);
    expect(JSON.parse(list.stdout).tokens).toContainEqual(expect.objectContaining({ id, principal: "ana" }));
    expect(list.stdout).not.toContain(token);
    expect(await text("token", "list")).toMatch(new RegExp(`${id} +ana +human +human@main`));
  });

  test("stop working when they are revoked, and a dry run only says which one", async () => {
    const { id, token } = await tokenFor("human", "ben");
    expect(await ground.json(["token", "revoke", id, "--dry-run"])).toMatchObject({ dry_run: true, token: { id } });
    await ground.json(["whoami"], { env: { PARLEY_TOKEN: token } });
    await ground.json(["token", "revoke", id, "--yes"]);
    expect(await refusal(["whoami"], { PARLEY_TOKEN: token })).toEqual([3, "UNAUTHENTICATED"]);
    expect(await refusal(["token", "revoke", id, "--yes"])).toEqual([5, "CONFLICT"]);
  });

  test("are replaced when they are rotated", async () => {
    const old = await tokenFor("human", "ana");
    const { token } = await ground.json<Token>(["token", "rotate", old.id, "--yes"]);
    expect(await refusal(["whoami"], { PARLEY_TOKEN: old.token })).toEqual([3, "UNAUTHENTICATED"]);
    expect(await ground.json(["whoami"], { env: { PARLEY_TOKEN: token } })).toMatchObject({ principal: "ana" });
  });
});

describe("agents", () => {
  test("are registered, listed, and one of them is the default", async () => {
    await ground.json(["agent", "register", "mason", "--type", "ui"]);
    expect(await ground.json(["agent", "default", "mason"])).toMatchObject({ name: "mason", default: true });
    const { agents } = await ground.json<{ agents: object[] }>(["agent", "list"]);
    expect(agents).toContainEqual(expect.objectContaining({ name: "mason", type: "ui", default: true }));
    expect(await text("agent", "list")).toMatch(/mason +ui +not seen +yes/);
    expect(await text("agent", "default", "mason")).toContain("now speak to mason");
  });
});

describe("spaces", () => {
  test("are created, entered with --space, listed and deleted", async () => {
    const space = await ground.json<{ space: string; expires_at: string; created_at: string }>([
      "space",
      "create",
      "sess_review",
      "--ttl",
      "2h",
    ]);
    expect(Date.parse(space.expires_at) - Date.parse(space.created_at)).toBe(2 * 3600 * 1000);
    expect(await ground.json(["whoami", "--space", "sess_review"])).toMatchObject({ space: "sess_review" });
    expect(await text("space", "list")).toContain("sess_review");
    expect(await refusal(["space", "create", "sess_review"])).toEqual([5, "CONFLICT"]);

    expect(await text("space", "delete", "sess_review", "--dry-run")).toContain("Would delete sess_review");
    expect(await ground.json(["whoami", "--space", "sess_review"])).toMatchObject({ space: "sess_review" });
    expect(await refusal(["space", "delete", "sess_review"])).toEqual([2, "INVALID_ARGUMENT"]);
    expect(await text("space", "list")).toContain("sess_review");
    await ground.json(["space", "create", "sess_review2"]);
    expect(await refusal(["space", "delete", "sess_rev", "--yes"])).toEqual([2, "INVALID_ARGUMENT"]);
    await ground.json(["space", "delete", "sess_review2", "--yes"]);
    expect(await text("space", "delete", "sess_rev", "--dry-run")).toContain("Would delete sess_review and");
    await ground.json(["space", "delete", "sess_review", "--yes"]);
    // Who is already known may be let in for a moment longer.
    await until(async () => (await ground.parley(["whoami", "--space", "sess_review"])).code !== 0);
    expect(await refusal(["whoami", "--space", "sess_review"])).toEqual([4, "SESSION_EXPIRED"]);
    expect(await refusal(["space", "delete", "sess_review", "--dry-run"])).toEqual([4, "SESSION_NOT_FOUND"]);
  });

  test("may be cut short behind --space as other ids are, but not where the whole id was that of one that is over", async () => {
    for (const space of ["sess_team_ana", "sess_team_ben"]) await ground.json(["space", "create", space]);
    expect(await ground.json(["whoami", "--space", "sess_team_a"])).toMatchObject({ space: "sess_team_ana" });
    const made = await ground.json([
      "token",
      "create",
      "--role",
      "agent",
      "--name",
      "helper",
      "--space",
      "sess_team_b",
    ]);
    expect(made).toMatchObject({ space: "sess_team_ben" });
    const { space } = await ground.json<{ space: string }>(["space", "create"]);
    expect(await ground.json(["whoami", "--space", space.slice(0, 6)])).toMatchObject({ space });
    const said = async (...args: string[]) => (await ground.parley([...args, "--format", "text"])).stderr.trim();
    expect(await said("whoami", "--space", "sess_team")).toBe(
      "parley: More than one space has an id that begins with sess_team, such as sess_team_ana and sess_team_ben. Give more of it.",
    );
    expect(await said("whoami", "--space", "sess_crew")).toBe("parley: There is no space sess_crew.");
    expect(await said("whoami", "--space", "crew")).toBe("parley: No space has an id that begins with crew.");
    expect(await refusal(["whoami", "--space", "sess_crew"])).toEqual([4, "SESSION_NOT_FOUND"]);
    expect(await refusal(["whoami", "--space", "sess_team"])).toEqual([2, "INVALID_ARGUMENT"]);
    await ground.json(["space", "create", "sess_team_a"]);
    await ground.json(["space", "delete", "sess_team_a", "--yes"]);
    await until(async () => (await ground.parley(["whoami", "--space", "sess_team_a"])).code !== 0);
    expect(await refusal(["whoami", "--space", "sess_team_a"])).toEqual([4, "SESSION_EXPIRED"]);
    for (const each of ["sess_team_ana", "sess_team_ben", space]) await ground.json(["space", "delete", each, "--yes"]);
  });

  test("are each asked for what waits for a person, and their lists merged", async () => {
    await ground.json(["space", "create", "sess_asking"]);
    const ids: string[] = [];
    for (const space of ["main", "sess_asking"]) {
      const make = ["token", "create", "--role", "agent", "--name", `asker-in-${space}`, "--space", space];
      const { token } = await ground.json<{ token: string }>(make);
      const asked = { key: "k", kind: "question", title: `May I, in ${space}?`, choices: ["yes", "no"] };
      const env = { PARLEY_TOKEN: token };
      const raised = await ground.parley(["call", "notice_raise", JSON.stringify(asked), "--space", space], { env });
      ids.unshift(JSON.parse(raised.stdout).id);
    }
    const [other, own] = ids;
    const here = await ground.json<{ needs: { id: string }[]; count: number }>(["needs"]);
    expect(here.needs.map(({ id }) => id)).not.toContain(other);
    const everywhere = await ground.json<{ needs: object[]; count: number }>(["needs", "--everywhere"]);
    expect(everywhere.count).toBe(here.count + 1);
    expect(everywhere.needs.slice(0, 2)).toMatchObject([
      { id: other, space: "sess_asking" },
      { id: own, space: "main" },
    ]);
    expect(await text("needs", "--everywhere")).toContain(`notice settle ${other} --choice CHOICE --space sess_asking`);
    await ground.json(["space", "delete", "sess_asking", "--yes"]);
  });

  test("keep their chat to themselves", async () => {
    await ground.json(["space", "create", "sess_apart"]);
    await ground.json(["chat", "send", "only here", "--space", "sess_apart"]);
    const read = await ground.parley(["chat", "read", "--json"]);
    expect(read.stdout).not.toContain("only here");
    expect((await ground.parley(["chat", "read", "--space", "sess_apart", "--json"])).stdout).toContain("only here");
  });
});

describe("chat", () => {
  test("takes words, or stdin with a dash, and gives them back as they were", async () => {
    await tokenFor("agent", "chatty");
    const first = await ground.json<{ id: string }>(["chat", "send", "--agent", "chatty", "two", "words"]);
    await ground.json(["chat", "send", "--agent", "chatty", "--mime", "text/plain", "-"], { input: "a\n\tb\u001b[1m" });
    await ground.json(["chat", "send", "--agent", "chatty", "--", "--json"]);
    const page = await ground.json<{ messages: object[] }>(["chat", "read", "--agent", "chatty"]);
    expect(page).toMatchObject({
      messages: [
        { id: first.id, content: "two words", author: "user", mime: "text/markdown" },
        { content: "a\n\tb\u001b[1m", mime: "text/plain" },
        { content: "--json" },
      ],
      has_more: false,
    });
    const next = await ground.json(["chat", "read", "--agent", "chatty", "--after", first.id, "--limit", "1"]);
    expect(next).toMatchObject({ messages: [{ mime: "text/plain" }], has_more: true });
  });

  test("sent twice with the same key is said once", async () => {
    await tokenFor("agent", "keyed");
    const send = (words: string) => ["chat", "send", "--agent", "keyed", "--key", "k1", words];
    const first = await ground.json(send("once"));
    expect(await ground.json(send("once"))).toEqual(first);
    expect(await refusal(send("something else"))).toEqual([5, "IDEMPOTENCY_CONFLICT"]);
    expect(await ground.json(["chat", "read", "--agent", "keyed"])).toMatchObject({ messages: [first] });
  });

  test("is spoken by an agent itself, with the token of an agent", async () => {
    const { token } = await tokenFor("agent", "speaker");
    await ground.json(["chat", "send", "Good morning"], { env: { PARLEY_TOKEN: token } });
    expect(await ground.json(["chat", "read", "--agent", "speaker"])).toMatchObject({
      messages: [{ content: "Good morning", author: "assistant", author_principal: "speaker" }],
    });
    const observer = await tokenFor("observer", "watcher");
    expect(await refusal(["chat", "send", "me too"], { PARLEY_TOKEN: observer.token })).toEqual([3, "FORBIDDEN"]);
  });

  test("shows what a message would do to the terminal instead of doing it, and JSON carries it raw", async () => {
    const evil = "\u001b]0;owned\u0007 \u202egnp\r\n2026-01-01T00:00:00Z  ana  1";
    await tokenFor("agent", "escaped");
    await ground.json(["chat", "send", "--agent", "escaped", evil]);
    const shown = await text("chat", "read", "--agent", "escaped");
    expect(shown).toContain("  \\x1b]0;owned\\x07 \\u202egnp\\x0d\n  2026-01-01T00:00:00Z  ana  1\n");
    const page = await ground.json(["chat", "read", "--agent", "escaped"]);
    expect(page).toMatchObject({ messages: [{ content: evil }] });
  });

  test("says so when there is nothing to send, to read or to go on with", async () => {
    expect(await refusal(["chat", "send", "   "])).toEqual([2, "INVALID_ARGUMENT"]);
    expect(await refusal(["chat", "send"])).toEqual([2, "INVALID_ARGUMENT"]);
    expect(await refusal(["chat", "send", "--agent", "nobody", "hello"])).toEqual([4, "AGENT_NOT_FOUND"]);
    expect(await refusal(["chat", "read", "--after", "9007199254740991"])).toEqual([2, "WATERMARK_INVALID"]);
    expect(await refusal(["chat", "read", "--limit", "501"])).toEqual([2, "INVALID_ARGUMENT"]);
    await tokenFor("agent", "silent");
    expect(await text("chat", "read", "--agent", "silent")).toBe("Nothing was said.\n");
  });
});

describe("call", () => {
  test("reaches every tool, with arguments as JSON, from stdin and one by one", async () => {
    await tokenFor("agent", "called");
    await ground.json(["call", "chat_human_post", '{"content":"a"}', "--arg", "agent=called"]);
    await ground.json(["call", "chat.human.post", "-"], { input: '{"content":"b","agent":"called"}' });
    const page = await ground.json(["call", "chat_read_since", "--arg", "agent=called", "--arg", "limit=1"]);
    expect(page).toMatchObject({ messages: [{ content: "a" }], has_more: true });
    expect(JSON.parse(await text("call", "whoami"))).toMatchObject({ space: "main" });
  });

  test("hands on the hub's own code and sentence", async () => {
    expect(await refusal(["call", "no_such_tool"])).toEqual([4, "UNKNOWN_TOOL"]);
    expect(await refusal(["call", "chat_human_post", '{"content":"a","author":"ana"}'])).toEqual([
      2,
      "INVALID_ARGUMENT",
    ]);
    expect(await refusal(["call", "chat_human_post", "[]"])).toEqual([2, "INVALID_ARGUMENT"]);
    expect(await refusal(["call", "chat_human_post", "{"])).toEqual([2, "INVALID_ARGUMENT"]);
    const { token } = await tokenFor("agent", "caller");
    expect(await refusal(["call", "token_list"], { PARLEY_TOKEN: token })).toEqual([3, "FORBIDDEN"]);
  });
});

describe("status and version", () => {
  test("status says that the hub is ready, where it is and what to do next", async () => {
    const status = await ground.json<{ needs: number }>(["status"]);
    expect(status).toMatchObject({
      status: "ready",
      needs: expect.any(Number),
      url: hub.url,
      pid: process.pid,
      home: ground.home,
      backend: "sqlite",
      version: expect.any(String),
    });
    expect(await text("status")).toContain(`The hub is ready at ${hub.url}`);
    // The hub is that of all tests here: some of them leave something that waits for a person.
    expect(await text("status")).toContain(`Next: ${ground.line(status.needs === 0 ? "chat tail" : "needs")}`);
  });

  test("status of a folder without a hub fails, starts none and names the command that does", async () => {
    const nowhere = join(ground.folder, "nowhere");
    const { code, stdout } = await ground.parley(["status", "--json", "--home", nowhere]);
    expect([code, JSON.parse(stdout)]).toEqual([1, { status: "stopped", home: nowhere }]);
    const asText = await ground.parley(["status", "--format", "text", "--home", nowhere]);
    expect([asText.code, asText.stdout]).toEqual([
      1,
      `No hub runs on ${nowhere}.\nNext: ${PARLEY} serve --home ${nowhere}\n`,
    ]);
  });

  test("status of a hub elsewhere needs no data folder", async () => {
    const { token } = await tokenFor("human", "ana");
    const env = { PARLEY_URL: hub.url, PARLEY_TOKEN: token, PARLEY_HOME: join(ground.folder, "nowhere") };
    expect(await ground.json(["status"], { env })).toMatchObject({ status: "ready", url: hub.url });
    const gone = await ground.parley(["status"], { env: { ...env, PARLEY_URL: "http://127.0.0.1:1" } });
    expect([gone.code, JSON.parse(gone.stdout).status]).toEqual([1, "not ready"]);
  });

  test("version is a line for people and a document for programs", async () => {
    expect((await ground.parley(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await ground.json(["version"])).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  });
});

describe("which hub, and as whom", () => {
  test("PARLEY_URL and PARLEY_TOKEN say it, and --url overrides the one", async () => {
    const { token } = await tokenFor("human", "ana");
    const env = { PARLEY_URL: "http://127.0.0.1:1", PARLEY_TOKEN: token, PARLEY_HOME: join(ground.folder, "nowhere") };
    expect(await refusal(["whoami"], env)).toEqual([1, "HUB_UNREACHABLE"]);
    expect(await ground.json(["whoami", "--url", hub.url], { env })).toMatchObject({ principal: "ana" });
  });

  test("the admin token of a folder goes to the hub of that folder and to no other address", async () => {
    expect(await ground.json(["whoami", "--url", hub.url])).toMatchObject({ roles: expect.arrayContaining(["admin"]) });
    expect(await refusal(["whoami", "--url", "http://127.0.0.1:1"])).toEqual([3, "UNAUTHENTICATED"]);
  });

  test("a folder that is named on the command line wins over a hub that the environment names", async () => {
    const env = { PARLEY_URL: "http://127.0.0.1:1", PARLEY_TOKEN: "parley_of_another_hub" };
    const me = await ground.json(["whoami", "--home", ground.home], { env });
    expect(me).toMatchObject({ roles: expect.arrayContaining(["admin"]) });
  });

  test("an address that is none, and one that is no hub's, are told apart", async () => {
    const env = { PARLEY_TOKEN: "x" };
    expect(await refusal(["whoami", "--url", "nonsense"], env)).toEqual([2, "INVALID_ARGUMENT"]);
    expect(await refusal(["whoami", "--url", `${hub.url}/no/such/place`], env)).toEqual([
      expect.any(Number),
      expect.any(String),
    ]);
  });
});

describe("what is printed", () => {
  test("is JSON when stdout is no terminal, and text when asked for", async () => {
    expect(JSON.parse((await ground.parley(["whoami"])).stdout)).toMatchObject({ space: "main" });
    expect(await text("whoami")).toMatch(/^principal +\S+\n/);
  });

  test("is one sentence on stderr for a person, when something is wrong", async () => {
    const { code, stdout, stderr } = await ground.parley(["chat", "read", "--agent", "nobody", "--format", "text"]);
    expect([code, stdout]).toEqual([4, ""]);
    expect(stderr).toMatch(/^parley: .*nobody.*\n$/);
  });

  test("holds no colour without a terminal", async () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape that begins a colour
    expect(await text("status")).not.toMatch(/\u001b/);
  });

  test("is help, with exit code 0, for every way of asking", async () => {
    const [bare, flag, short, word] = await Promise.all(
      [[], ["--help"], ["-h"], ["help"]].map((args) => ground.parley(args)),
    );
    expect(bare).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining("parley token create --role agent"),
    });
    expect([flag, short, word]).toEqual([bare, bare, bare]);
    const asked = await Promise.all(
      [
        ["help", "chat", "send"],
        ["chat", "send", "--help"],
        ["chat", "--json", "send", "-h"],
      ].map((args) => ground.parley(args)),
    );
    expect(asked[0]?.stdout).toMatch(/^Examples\n {2}parley chat send/);
    expect(asked[1]).toEqual(asked[0]);
    expect(JSON.parse(asked[2]?.stdout ?? "")).toMatchObject({ name: "chat send", options: expect.any(Array) });
  });

  test.each([
    [["tokn"], "Did you mean token?"],
    [["token", "lst"], "Did you mean token list?"],
    [["whoami", "--jsno"], "Did you mean --json?"],
    [["token"], "parley token create"],
    [["chat", "send", "--agent"], "--agent needs a value"],
  ])("for %j is exit code 2 and what was probably meant", async (args, hint) => {
    const { code, stderr } = await ground.parley(args);
    expect([code, JSON.parse(stderr).error.message]).toEqual([2, expect.stringContaining(hint)]);
  });

  test("may be cut off by its reader without a complaint", async () => {
    await tokenFor("agent", "long");
    await ground.json(["chat", "send", "--agent", "long", "-"], { input: "line\n".repeat(200_000) });
    const script = `{ "$0" chat read --agent long --format text; echo "code $?" >&2; } | head -1`;
    const shell = ground.watch(
      spawn("/bin/sh", ["-c", script, PARLEY], { env: ground.env(), stdio: ["pipe", "pipe", "pipe"] }),
    );
    const { stdout, stderr } = await ended(shell);
    expect(stdout.split("\n")).toHaveLength(2);
    expect(stderr).toBe("code 0\n");
  });
});

test("Ctrl-C ends a command at once with exit code 130", async () => {
  await tokenFor("agent", "followed");
  await ground.json(["chat", "send", "--agent", "followed", "hello"]);
  const tail = ground.start(["chat", "tail", "--agent", "followed", "--json"]);
  await once(tail.stdout, "data");
  tail.kill("SIGINT");
  expect(await ended(tail)).toMatchObject({ code: 130, stderr: "" });
});
