/** With no hub to be reached mail is kept, and goes out once, in order, in its sender's name. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Between } from "../src/testing/between.ts";
import { ended, Ground, type HostedHub } from "../src/testing/process.ts";

interface Kept {
  queued: true;
  idempotency_key: string;
}
interface Entry {
  key: string;
  args: { subject: string };
}

let ground: Ground;
let hub: HostedHub;
let token: string;
beforeEach(async () => {
  ground = new Ground({ in_process: true });
  hub = await ground.host();
  await ground.json(["agent", "register", "scout"]);
  token = (await ground.json<{ token: string }>(["token", "create", "--role", "agent", "--name", "mason"])).token;
});
afterEach(() => ground[Symbol.asyncDispose]());

const OFFLINE = { PARLEY_NO_START: "1" };
const queued = (subject: string, ...more: string[]): Promise<Kept> =>
  ground.json<Kept>(["send", "--to", "scout", "--subject", subject, "--body", "B", ...more], { env: OFFLINE });
/** Oldest first. */
const arrived = async (): Promise<string[]> =>
  (await ground.json<{ messages: { subject: string }[] }>(["inbox", "--agent", "scout", "-n", "100"])).messages
    .map(({ subject }) => subject)
    .toReversed();
const waiting = async (): Promise<string[]> =>
  (await ground.json<{ pending: Entry[] }>(["queue", "list"])).pending.map(({ args }) => args.subject);

test("what is sent while the hub is down is kept, and the next command of any kind delivers it in order", async () => {
  await hub.stop();
  const keys = [];
  for (const subject of ["one", "two", "three"]) keys.push((await queued(subject)).idempotency_key);
  expect(keys).toEqual(keys.toSorted());
  expect(await waiting()).toEqual(["one", "two", "three"]);
  expect(await ground.json(["queue", "stats"])).toMatchObject({ pending: 3, refused: 0 });
  await ground.host();
  const { stderr, code } = await ground.parley(["agent", "list"]);
  expect([code, stderr]).toEqual([0, "Delivered 3 queued operations.\n"]);
  expect([await arrived(), await waiting()]).toEqual([["one", "two", "three"], []]);
  await ground.json(["send", "--to", "scout", "--subject", "four", "--body", "b", "--queue-only"]);
  expect((await ground.parley(["agent", "list"])).stderr).toBe("Delivered 1 queued operation.\n");
});

test("each file is whole, its owner's alone, and holds no token", async () => {
  await hub.stop();
  const { idempotency_key } = await queued("one");
  await ground.json(["send", "--to", "scout", "--subject", "two", "--body", "B"], {
    env: { ...OFFLINE, PARLEY_TOKEN: token, PARLEY_URL: hub.url },
  });
  const folder = join(ground.home, "outbox");
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) {
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, name), "utf8")).not.toContain("parley_");
  }
  expect(readdirSync(folder)).toContain(`${idempotency_key}.json`);
});

test("says so to a person, and --no-queue fails instead", async () => {
  await hub.stop();
  const args = ["send", "--to", "scout", "--subject", "one", "--body", "B"];
  const told = await ground.parley([...args, "--format", "text"], { env: OFFLINE });
  expect([told.code, told.stdout]).toEqual([0, expect.stringMatching(/^Queued, /)]);
  const failed = await ground.parley([...args, "--no-queue", "--json"], { env: OFFLINE });
  expect([failed.code, JSON.parse(failed.stderr).error.code]).toEqual([1, "HUB_UNREACHABLE"]);
  expect(await waiting()).toEqual(["one"]);
});

test("a command that may start the hub starts it, and keeps nothing", async () => {
  await hub.stop();
  expect(await ground.json(["send", "--to", "scout", "--subject", "one", "--body", "B"])).toMatchObject({
    to: ["scout"],
  });
  expect(await arrived()).toEqual(["one"]);
});

test("nobody's mail goes out in another's name", async () => {
  await hub.stop();
  await queued("by the owner");
  await ground.json(["send", "--to", "scout", "--subject", "by mason", "--body", "B"], {
    env: { ...OFFLINE, PARLEY_TOKEN: token },
  });
  await ground.host();
  await ground.json(["whoami"]);
  // The token is not here, so whoever has it has to come.
  expect(await waiting()).toContain("by mason");
  await ground.json(["whoami"], { env: { PARLEY_TOKEN: token } });
  const { messages } = await ground.json<{ messages: { subject: string; from: string }[] }>([
    "inbox",
    "--agent",
    "scout",
  ]);
  expect(Object.fromEntries(messages.map(({ subject, from }) => [subject, from]))).toEqual({
    "by the owner": "admin",
    "by mason": "mason",
  });
});

test("what the hub refuses is put aside with the reason, told once, and holds up nothing", async () => {
  await hub.stop();
  await ground.json(["send", "--to", "nobody", "--subject", "lost", "--body", "B"], { env: OFFLINE });
  await queued("one");
  await ground.host();
  const first = await ground.parley(["agent", "list"]);
  expect(first.stderr).toMatch(
    /^parley: The send of \d\d:\d\d was refused \(RECIPIENT_NOT_FOUND\): .*\nDelivered 1 queued/,
  );
  expect((await ground.parley(["agent", "list"])).stderr).toBe("");
  expect(await arrived()).toEqual(["one"]);
  expect(await ground.json(["queue", "list"])).toMatchObject({
    pending: [],
    refused: [{ args: { subject: "lost" }, code: "RECIPIENT_NOT_FOUND" }],
  });
  expect(await ground.json(["queue", "clear", "--refused", "--yes"])).toEqual({ cleared: 1 });
});

test("a file that cannot be read is put aside and told of, and the others go out", async () => {
  await hub.stop();
  const { idempotency_key } = await queued("broken");
  await queued("one");
  writeFileSync(join(ground.home, "outbox", `${idempotency_key}.json`), '{"tool":');
  await ground.host();
  expect((await ground.parley(["agent", "list"])).stderr).toContain(`${idempotency_key}.unreadable`);
  expect([await arrived(), await waiting()]).toEqual([["one"], []]);
});

test("the 101st is not kept, and what could never be sent is refused at once", async () => {
  await hub.stop();
  const { idempotency_key } = await queued("one");
  const folder = join(ground.home, "outbox");
  const text = readFileSync(join(folder, `${idempotency_key}.json`), "utf8");
  for (let n = 0; n < 99; n++) {
    const key = idempotency_key.slice(0, -4) + n.toString(16).padStart(4, "0");
    writeFileSync(join(folder, `${key}.json`), text, { mode: 0o600 });
  }
  const args = (body: string): string[] => ["send", "--json", "--to", "scout", "--subject", "more", "--body", body];
  const more = await ground.parley(args("B"), { env: OFFLINE });
  expect([more.code, JSON.parse(more.stderr).error.code]).toEqual([1, "OUTBOX_FULL"]);
  expect(readdirSync(folder).filter((name) => name.endsWith(".json"))).toHaveLength(100);
  const empty = await ground.parley(args(" "), { env: OFFLINE });
  expect([empty.code, JSON.parse(empty.stderr).error.code]).toEqual([2, "INVALID_ARGUMENT"]);
});

test("a time from now keeps meaning the time at which it was said", async () => {
  await hub.stop();
  await queued("one", "--deadline", "2h");
  const before = await ground.json<{ pending: { queued_at: string; args: { deadline: string } }[] }>(["queue", "list"]);
  const [entry] = before.pending;
  const ahead_ms = Date.parse(entry?.args.deadline ?? "") - Date.parse(entry?.queued_at ?? "");
  expect(Math.round(ahead_ms / 60_000)).toBe(120);
});

test("a mail whose deadline passes while it waits is delivered, overdue", async () => {
  await hub.stop();
  await queued("one", "--deadline", "1s");
  await new Promise((done) => setTimeout(done, 1_500));
  await ground.host();
  expect(await ground.json(["inbox", "--agent", "scout"])).toMatchObject({
    messages: [{ subject: "one", overdue: true }],
  });
});

test("a mail with a deadline whose answer was lost happens once", async () => {
  await using between = await Between.open(hub.url);
  const env = { PARLEY_URL: between.url, PARLEY_TOKEN: token };
  between.before = () => between.cut();
  const args = ["send", "--to", "scout", "--subject", "one", "--body", "B", "--deadline", "2h"];
  expect(await ground.json(args, { env })).toMatchObject({ queued: true });
  between.before = () => {};
  expect(await ground.json(["queue", "drain"], { env })).toMatchObject({ delivered: 1, refused: 0, left: 0 });
  expect(await arrived()).toEqual(["one"]);
});

describe("exactly once and in order, whatever is killed in between", () => {
  const SUBJECTS = ["one", "two", "three", "four", "five", "six"];
  const keepAll = async (env: Record<string, string>): Promise<void> => {
    for (const subject of SUBJECTS)
      await ground.json(["send", "--queue-only", "--to", "scout", "--subject", subject, "--body", "B"], { env });
  };

  test.each(["before_commit@events", "after_commit@events", "before_ack", "after_ack"])(
    "the hub, at post.%s of the third",
    async (point) => {
      await keepAll({});
      await hub.stop();
      const failing = await ground.serve([], { PARLEY_FAILPOINT: `post.${point}:kill:3` });
      const broken = await ground.parley(["queue", "drain"], { env: OFFLINE });
      expect([broken.code, JSON.parse(broken.stdout).left > 0]).toEqual([1, true]);
      // It has ended itself; what it held is free once it is gone.
      await failing.kill("SIGKILL");
      await ground.host();
      await ground.parley(["queue", "drain"], { env: OFFLINE });
      expect([await arrived(), await waiting()]).toEqual([SUBJECTS, []]);
    },
  );

  test("the command, after the hub has done the third and before it is told", async () => {
    await using between = await Between.open(hub.url);
    const env = { PARLEY_URL: between.url, PARLEY_TOKEN: token };
    await keepAll(env);
    const child = ground.start(["queue", "drain"], env);
    const end = ended(child);
    between.before = async (_passed, nth) => {
      if (nth !== 3) return;
      child.kill("SIGKILL");
      await end;
    };
    expect((await end).signal).toBe("SIGKILL");
    between.before = () => {};
    expect(await ground.json(["queue", "drain"], { env })).toMatchObject({ delivered: 4, left: 0 });
    expect(await arrived()).toEqual(SUBJECTS);
  });

  test("a send whose answer was lost is kept under its key and happens once", async () => {
    await using between = await Between.open(hub.url);
    const env = { PARLEY_URL: between.url, PARLEY_TOKEN: token };
    between.before = () => between.cut();
    const kept = await ground.json<Kept>(["send", "--to", "scout", "--subject", "one", "--body", "B"], { env });
    expect(kept).toMatchObject({ queued: true });
    between.before = () => {};
    await ground.json(["whoami"], { env });
    expect(await arrived()).toEqual(["one"]);
  });

  test("ten commands that come at once deliver it once", async () => {
    await keepAll({});
    const processes = Array.from({ length: 10 }, () => ended(ground.start(["agent", "list"])));
    expect((await Promise.all(processes)).map(({ code }) => code)).toEqual(Array(10).fill(0));
    expect([await arrived(), await waiting()]).toEqual([SUBJECTS, []]);
  });
});
