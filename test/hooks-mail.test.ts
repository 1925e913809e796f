/** What hooks tell of mail when there is much of it, when it is large, and when the hub goes away in between. */
import { spawn } from "node:child_process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Between } from "../src/testing/between.ts";
import { type Ended, ended, Ground, type HostedHub, PARLEY } from "../src/testing/process.ts";

let ground: Ground;
let hub: HostedHub;
let scout: string;
let mason: string;
beforeEach(async () => {
  ground = new Ground({ in_process: true });
  hub = await ground.host({ rate_limit: 10_000, rate_limit_kb: 1_000_000 });
  scout = await token("agent", "scout");
  mason = await token("agent", "mason");
});
afterEach(() => ground[Symbol.asyncDispose]());

const token = async (role: string, name: string): Promise<string> =>
  (await ground.json<{ token: string }>(["token", "create", "--role", role, "--name", name])).token;

async function call<T>(as: string, tool: string, args: object): Promise<T> {
  const headers = { authorization: `Bearer ${as}` };
  const answer = await fetch(`${hub.url}/api/tools/${tool}`, { method: "POST", headers, body: JSON.stringify(args) });
  expect(answer.status).toBe(200);
  // What each test expects of it.
  return (await answer.json()) as T;
}

const mail = async (as: string, body: string, more: object = {}): Promise<string> =>
  (await call<{ id: string }>(as, "mail_send", { to: ["scout"], subject: "For scout", body, ...more })).id;

const inputOf = (event: string): string =>
  JSON.stringify({ session_id: "s1", hook_event_name: event, stop_hook_active: false });
// The machine may be busy with other tests.
const asScout = () => ({
  PARLEY_URL: hub.url,
  PARLEY_TOKEN: scout,
  PARLEY_HOOK_MS: "30000",
  CLAUDE_CODE_SESSION_ATTENDED: "1",
});
const fire = (event: string, env: Record<string, string> = {}): Promise<Ended> =>
  ground.parley(["hook", event], { input: inputOf(event), env: { ...asScout(), ...env } });
const contextOf = (stdout: string): string =>
  stdout === "" ? "" : JSON.parse(stdout).hookSpecificOutput.additionalContext;
const prompt = async (): Promise<string> => {
  const { stdout, stderr } = await fire("UserPromptSubmit");
  expect(stderr).toBe("");
  return contextOf(stdout);
};

test("a person's mail is shown at once among urgent ones of any number and size, and named until it is read", async () => {
  const urgent: string[] = [];
  // Nearly a mebibyte, of what is dear to make visible.
  const body = "a\u200d".repeat(260_000);
  for (let n = 0; n < 12; n++) urgent.push(await mail(mason, body, { priority: "urgent" }));
  const ana = await token("human", "ana");
  const id = await mail(ana, "Please stop.");
  const first = await prompt();
  expect(first).toContain("Please stop.");
  expect(first).toMatch(/New, and not shown yet: \d+ from mason, /);
  for (const each of urgent) expect(first).toContain(each);
  // The other urgent ones come six at a time.
  for (let n = 0; n < 2; n++) expect(await prompt()).toContain(`${id} from ana`);
  expect(await prompt()).toBe("");
  expect((await fire("Stop")).stdout).toBe("{}\n");
  const { recipients } = await call<{ recipients: object[] }>(ana, "mail_status", { id });
  expect(recipients).toMatchObject([{ state: "offered" }]);
});

test("a hook takes no longer for mail of any size, whatever is in it", async () => {
  const observer = await token("observer", "olga");
  /** Seconds for which the hub has computed. */
  const hubWorked = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${observer}` };
    const metrics = await (await fetch(`${hub.url}/metrics`, { headers })).text();
    return Number(/^process_cpu_seconds_total (\S+)/m.exec(metrics)?.[1]);
  };
  // What the hook and the hub compute: how long that takes by the clock is up to whoever else uses the machine.
  const timed = async (): Promise<{ ms: number; text: string }> => {
    const before = await hubWorked();
    const script = '"$0" hook UserPromptSubmit; times >&2';
    const env = ground.env(asScout());
    const shell = ground.watch(spawn("/bin/sh", ["-c", script, PARLEY], { env, stdio: ["pipe", "pipe", "pipe"] }));
    shell.stdin.end(inputOf("UserPromptSubmit"));
    const { stdout, stderr } = await ended(shell);
    // Of the shell, and of what it ran; in each line as the user and as the system.
    expect(stderr).toMatch(/^(\d+m[\d.]+s \d+m[\d.]+s\n){2}$/);
    const [user = 0, system = 0] = [...stderr.matchAll(/(\d+)m([\d.]+)s/g)]
      .slice(2)
      .map(([, minutes, seconds]) => 60 * Number(minutes) + Number(seconds));
    return { text: contextOf(stdout), ms: 1000 * (user + system + (await hubWorked()) - before) };
  };
  await mail(mason, "small");
  const usual = await timed();
  for (const part of ["\u001b", "\ufe0f", "a\u200d"])
    for (let n = 0; n < 3; n++)
      await mail(mason, part.repeat(Math.floor(900_000 / Buffer.byteLength(JSON.stringify(part)))));
  const { text, ms } = await timed();
  expect(text).toContain("characters left out");
  expect(ms).toBeLessThan(2 * usual.ms + 300);
});

test("mail counts as offered when it was printed, and is shown again when the hub did not hear so", async () => {
  const id = await mail(mason, "Are you there?");
  const state = async () =>
    (await call<{ recipients: { state: string }[] }>(mason, "mail_status", { id })).recipients[0]?.state;
  {
    await using between = await Between.open(hub.url);
    // Away as soon as it has answered.
    between.before = ({ path }) => {
      if (path.endsWith("/mail_poll")) between.lead("http://127.0.0.1:9");
    };
    const { code, stdout, stderr } = await fire("Stop", { PARLEY_URL: between.url });
    expect(code).toBe(0);
    expect(contextOf(stdout)).toContain("Are you there?");
    expect(stderr).toMatch(/^parley hook Stop: .+\n$/);
  }
  expect(await state()).toBe("stored");
  expect(await prompt()).toContain("Are you there?");
  expect(await state()).toBe("offered");
  expect(await prompt()).toBe("");
});
