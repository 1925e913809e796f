/** What the loop guard holds back in the outbox, and what it does not. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Ground, type HostedHub } from "../src/testing/process.ts";

let ground: Ground;
let hub: HostedHub;
let mason: { PARLEY_TOKEN: string };
beforeEach(async () => {
  ground = new Ground({ in_process: true });
  hub = await ground.host();
  mason = await agent("mason");
  await agent("otter");
});
afterEach(() => ground[Symbol.asyncDispose]());

const agent = async (name: string): Promise<{ PARLEY_TOKEN: string }> => {
  const { token } = await ground.json<{ token: string }>(["token", "create", "--role", "agent", "--name", name]);
  return { PARLEY_TOKEN: token };
};
const send = (env: Record<string, string>, to: string, subject: string, ...more: string[]): Promise<object> =>
  ground.json(["send", "--to", to, "--subject", subject, "--body", "B", ...more], { env });
const subjects = async (name: string): Promise<string[]> =>
  (await ground.json<{ messages: { subject: string }[] }>(["inbox", "--agent", name])).messages
    .map(({ subject }) => subject)
    .toReversed();
const waiting = async (): Promise<string[]> =>
  (await ground.json<{ pending: { args: { subject: string } }[] }>(["queue", "list"])).pending.map(
    ({ args }) => args.subject,
  );

/** To answer each other so often in earnest would take an hour. */
async function answeredEachOther(turns: number): Promise<void> {
  const scout = await agent("scout");
  await send(mason, "scout", "first");
  await send(scout, "mason", "second");
  await hub.stop();
  const file = new DatabaseSync(join(ground.home, "parley.db"));
  // In the future: whoever is slowed is so for a minute, and the commands of a test may take longer.
  const last_at = new Date(Date.now() + 600_000).toISOString();
  const each = turns / 2;
  const steps = `replace(steps, ',1]', ',${each}]')`;
  file.prepare(`update mail_trails set turns = ?, steps = ${steps}, last_at = ?`).run(each, last_at);
  file.close();
  hub = await ground.host();
}

test("mail that is slowed holds back what goes to the same recipient, and nothing else of its sender's", async () => {
  await answeredEachOther(30);
  await send(mason, "scout", "again", "--queue-only");
  await send(mason, "otter", "elsewhere", "--queue-only");
  expect(await send(mason, "User", "help")).toMatchObject({ to: ["admin"] });
  expect(await send(mason, "scout,otter", "later")).toMatchObject({ queued: true });
  expect(await subjects("otter")).toEqual(["elsewhere"]);
  expect(await waiting()).toEqual(["again", "later"]);

  await ground.json(["call", "mail_release", '{"agents":["mason","scout"]}']);
  expect(await ground.json(["queue", "drain"], { env: mason })).toEqual({
    delivered: 2,
    refused: 0,
    left: 0,
    slowed: [],
  });
  expect(await subjects("scout")).toEqual(["first", "again", "later"]);
});

test("mail that is stopped is put aside with the reason, told once, and the rest of its sender's goes out", async () => {
  await answeredEachOther(40);
  await send(mason, "scout", "again", "--queue-only");
  await send(mason, "User", "help", "--queue-only");
  const drained = await ground.parley(["agent", "list"], { env: mason });
  expect(drained.stderr).toMatch(
    /^parley: The send of \d\d:\d\d was refused \(LOOP_STOPPED\): You and scout are among .*\nDelivered 1 queued/,
  );
  expect(await ground.json(["queue", "list"])).toMatchObject({
    pending: [],
    refused: [{ args: { subject: "again" }, code: "LOOP_STOPPED" }],
  });
  expect((await ground.parley(["agent", "list"], { env: mason })).stderr).toBe("");
  expect(await subjects("scout")).toEqual(["first"]);
});
