/** Why something happened, at the command line. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { Ground } from "../src/testing/process.ts";

interface Why {
  steps: { id: string; how: string | null }[];
  end: string;
}
type Sent = { id: string };

let ground: Ground;
beforeEach(async () => {
  ground = new Ground({ in_process: true });
  await ground.host();
  await ground.json(["agent", "register", "scout"]);
});
afterEach(() => ground[Symbol.asyncDispose]());

const send = (subject: string, more: string[] = [], env: Record<string, string> = {}): Promise<Sent> =>
  ground.json<Sent>(["send", "--to", "scout", "--subject", subject, "--body", "b", ...more], { env });
const stepsOf = async (id: string): Promise<string[]> =>
  (await ground.json<Why>(["why", id])).steps.map((step) => step.id);

test("why shows a chain from the last thing to the first, and what it led to, each in its own words", async () => {
  const { id: asked } = await send("Look into the build");
  const { id: reply } = await ground.json<Sent>(["reply", asked, "--body", "Done.", "--agent", "scout"]);
  const { id: next } = await send("And now the tests", ["--cause", reply]);
  const { stdout } = await ground.parley(["why", next, "--format", "text", "--utc"]);
  const words = stdout.replace(/\d{16}/g, "ID").replace(/\d{4}-\d{2}-\d{2}\S*/g, "TIME");
  expect(words.replace(/ +$/gm, "")).toBe(`ID  mail  from admin  TIME
  And now the tests
Because of, as was said:
ID  mail  from scout  TIME
  Re: Look into the build
In answer to:
ID  mail  from admin  TIME
  Look into the build
Nothing is known to have led to that.
`);
  const { stdout: first } = await ground.parley(["why", asked, "--format", "text"]);
  expect(first).toContain("It led to:");
  expect(first).toContain("Re: Look into the build");
});

test("what leads to a command is said by --cause, or for all of them by PARLEY_CAUSE", async () => {
  const { id: asked } = await send("First");
  const { id: typed } = await send("Second", ["--cause", asked]);
  const { id: around } = await send("Third", [], { PARLEY_CAUSE: asked });
  expect([await stepsOf(typed), await stepsOf(around)]).toEqual([
    [typed, asked],
    [around, asked],
  ]);
  const { code, stderr } = await ground.parley(["heartbeat", "--agent", "scout", "--cause", "no id", "--json"]);
  expect([code, JSON.parse(stderr).error.code]).toEqual([2, "INVALID_ARGUMENT"]);
});

test("what waits for a hub is sent with what led to it, not with what led to the command that sends it", async () => {
  const [{ id: one }, { id: other }] = [await send("One"), await send("Other")];
  await send("Kept, because of one", ["--queue-only", "--cause", one]);
  await send("Kept, because of nothing", ["--queue-only"]);
  await ground.json(["queue", "drain", "--cause", other]);
  const { messages } = await ground.json<{ messages: (Sent & { subject: string })[] }>(["sent"]);
  const idOf = (subject: string): string => messages.find((mail) => mail.subject === subject)?.id ?? "";
  const [because, silent] = [idOf("Kept, because of one"), idOf("Kept, because of nothing")];
  expect([await stepsOf(because), await stepsOf(silent)]).toEqual([[because, one], [silent]]);
});
