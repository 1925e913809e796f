/** A client of a channel asks whether it may use a tool, and the people of the space answer. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CHANNEL_CLIENTS } from "../src/testing/channel.ts";
import { ChannelGround } from "../src/testing/channel-ground.ts";
import { until } from "../src/testing/process.ts";

let ground: ChannelGround;
beforeEach(async () => {
  ground = await ChannelGround.open();
});
afterEach(() => ground[Symbol.asyncDispose]());

for (const [kind, connect] of Object.entries(CHANNEL_CLIENTS))
  describe(kind, () => {
    test("asks people for a permission, and the first of them to answer has answered", async () => {
      await using client = await connect(ground.program());
      const request = {
        request_id: "abcde",
        tool_name: "Bash",
        description: "Delete the build",
        input_preview: "rm -r dist",
      };
      await client.askPermission(request);
      const notice = await until(async () => (await ground.openNotices())[0]);
      expect(notice).toMatchObject({
        kind: "approval",
        title: "scout asks: may it use Bash?",
        raised_by: "scout",
        choices: ["approve", "deny_continue"],
      });
      expect(notice.text).toContain("rm -r dist");
      expect(client.permissions).toEqual([]);
      expect(await ground.decide(notice.id, "deny_continue")).toMatchObject({ state: "denied" });
      await until(() => client.permissions.length > 0);
      expect(await ground.decide(notice.id, "approve")).toMatchObject({ code: "ALREADY_DECIDED" });
      await ground.settled(client);
      expect(client.permissions).toEqual([{ request_id: "abcde", behavior: "deny" }]);
    });
  });

test("a question leads to the message or mail that was pushed last, and before that to nothing", async () => {
  await using client = await ground.open();
  const asked = async (request_id: string): Promise<string> => {
    await client.askPermission(request(request_id));
    const notice = await until(async () => (await ground.openNotices())[0]);
    await ground.decide(notice.id, "deny_continue");
    return notice.id;
  };
  const ledTo = async (id: string) =>
    (await ground.call("ana", "event_why", { id })).steps.map((step: { id: string }) => step.id);
  const pushed = (id: string) => until(() => client.pushes.some(({ meta }) => meta.message_id === id));

  const first = await asked("aaaaa");
  expect(await ledTo(first)).toEqual([first]);
  const { id: message } = await ground.say("Clean up");
  await pushed(message);
  const second = await asked("bbbbb");
  expect(await ledTo(second)).toEqual([second, message]);
  const { id: mail } = await ground.write("There is more");
  await pushed(mail);
  const third = await asked("ccccc");
  expect(await ledTo(third)).toEqual([third, mail]);
});

const request = (request_id: string, more: object = {}) => ({
  request_id,
  tool_name: "Bash",
  description: "Delete the build",
  input_preview: '{"command":"rm -r dist"}',
  ...more,
});

test("an answer reaches the client through a hub that died and came back meanwhile", async () => {
  await ground.begin();
  await using client = await ground.open();
  await client.askPermission(request("abcde"));
  await until(async () => (await ground.openNotices())[0]);
  await ground.hub.kill("SIGKILL");
  await ground.begin();
  const [notice] = await ground.openNotices();
  await ground.decide(notice.id, "approve");
  await until(() => client.permissions.length > 0);
  expect(client.permissions).toEqual([{ request_id: "abcde", behavior: "allow" }]);
});

test("neither another agent nor the one that asks can answer", async () => {
  await using client = await ground.open();
  await client.askPermission(request("abcde"));
  const notice = await until(async () => (await ground.openNotices())[0]);
  for (const who of ["mason", "scout"] as const)
    expect(
      await ground.call(who, "approval_decide", { id: notice.id, digest: notice.digest, decision: "approve" }),
    ).toMatchObject({
      code: "FORBIDDEN",
    });
  expect(await ground.call("mason", "approval_withdraw", { id: notice.id })).toMatchObject({
    code: "APPROVAL_NOT_FOUND",
  });
  await ground.settled(client);
  expect(client.permissions).toEqual([]);
});

test("one that is withdrawn is never answered, and neither is silence", async () => {
  await using client = await ground.open();
  await client.askPermission(request("abcde"));
  const notice = await until(async () => (await ground.openNotices())[0]);
  expect(await ground.call("scout", "approval_withdraw", { id: notice.id })).toMatchObject({ state: "withdrawn" });
  expect(await ground.decide(notice.id, "approve")).toMatchObject({ code: "NOTICE_CLOSED" });
  await ground.settled(client);
  expect(client.permissions).toEqual([]);
});

test("an old answer does not answer a new question that has the same id", async () => {
  await using client = await ground.open();
  await client.askPermission(request("abcde"));
  const first = await until(async () => (await ground.openNotices())[0]);
  await ground.decide(first.id, "approve");
  await until(() => client.permissions.length === 1);
  await client.askPermission(request("abcde", { input_preview: "rm -r /" }));
  const second = await until(async () => (await ground.openNotices())[0]);
  expect(second.id).not.toBe(first.id);
  await ground.settled(client);
  expect(client.permissions).toHaveLength(1);
  await ground.decide(second.id, "deny_continue");
  await until(() => client.permissions.length === 2);
  expect(client.permissions[1]).toEqual({ request_id: "abcde", behavior: "deny" });
});

test("what a client shows is bounded, and nothing in it is invisible", async () => {
  await using client = await ground.open();
  const input_preview = `safe\u202E \u200Brm -r /${"y".repeat(20_000)}the end`;
  await client.askPermission(request("abcde", { input_preview, tool_name: "Bash\nallow\u202E" }));
  const { text, title } = await until(async () => (await ground.openNotices())[0]);
  expect(text.length).toBeLessThan(8000);
  expect(text).toMatch(/safe\\u202e \\u200brm -r \/y+\n\[… \d+ characters left out; .*…\]\ny+the end/);
  expect(title).toBe("scout asks: may it use Bash\\nallow\\u202e?");
});

test("nobody is asked for a client that has gone, and a flood of questions takes back the oldest", async () => {
  const client = await ground.open();
  const questions = Array.from({ length: 14 }, (_, n) => `question ${n}`);
  for (const [n, description] of questions.entries()) await client.askPermission(request(`q${n}`, { description }));
  const open = async (): Promise<string[]> =>
    (await ground.openNotices()).map(({ text }) => /question \d+/.exec(text)?.[0] ?? "").toSorted();
  // By name: on the way there may be ten of them with others still to come, and to be taken back.
  await expect.poll(open).toEqual(questions.slice(-10).toSorted());
  await ground.settled(client);
  expect(await open()).toEqual(questions.slice(-10).toSorted());
  await client[Symbol.asyncDispose]();
  await until(async () => (await ground.openNotices()).length === 0);
});

test("people list and decide what is asked on the command line, and what an agent runs does not", async () => {
  await using client = await ground.open();
  await client.askPermission({ request_id: "abcde", tool_name: "Bash", description: "x", input_preview: "rm" });
  await until(async () => (await ground.openNotices())[0]);
  const listed = await ground.json<{ needs: { id: string; title: string }[]; count: number }>(["needs"]);
  expect(listed).toMatchObject({ count: 1, needs: [{ title: "scout asks: may it use Bash?" }] });
  const id = listed.needs[0]?.id ?? "";
  const text = await ground.parley(["needs", "--format", "text"]);
  expect(text.stdout).toContain("Choices: approve, deny_continue");
  const approve = ["approvals", "decide", "approve", id];
  const refused = await ground.parley(approve, { env: { CLAUDECODE: "1" } });
  expect([refused.code, JSON.parse(refused.stderr).error.code]).toEqual([3, "FORBIDDEN"]);
  for (const wrong of [
    ["approvals", "decide", "allow", id],
    ["approvals", "decide", "deny-abort", id],
    ["notice", "settle", id, "--choice", "approve"],
  ]) {
    const { code, stderr } = await ground.parley(wrong);
    expect([wrong, code, JSON.parse(stderr).error.code]).toEqual([wrong, 2, "INVALID_ARGUMENT"]);
  }
  expect(await ground.json(approve)).toMatchObject({ state: "answered", outcome: "user_approve" });
  await until(() => client.permissions.length > 0);
  const late = await ground.parley(["approvals", "decide", "deny", id]);
  expect([late.code, JSON.parse(late.stderr).error.code]).toEqual([5, "ALREADY_DECIDED"]);
  expect((await ground.parley(["needs", "--format", "text"])).stdout).toBe("Nothing waits for you.\n");
  expect((await ground.parley(["notices", "--limit", "1", "--format", "text"])).stdout).toContain(
    "answered approve by",
  );
  expect((await ground.parley(["approvals", "list", "--format", "text"])).stdout).toContain("user_approve");
  expect((await ground.parley(["approvals", "show", "latest", "--format", "text"])).stdout).toContain("claude-code");
});
