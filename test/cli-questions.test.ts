/** Asking and answering at a terminal. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { Ground } from "../src/testing/process.ts";

let ground: Ground;
beforeEach(async () => {
  ground = new Ground({ in_process: true });
  await ground.host();
  await ground.json(["agent", "register", "scout"]);
});
afterEach(() => ground[Symbol.asyncDispose]());

const AS = ["--agent", "scout"];
const text = async (...args: string[]): Promise<string> => {
  const { stdout, stderr } = await ground.parley([...args, "--format", "text"]);
  return stdout + stderr;
};
const ask = async (...args: string[]): Promise<string> =>
  (await ground.json<{ question_id: string }>(["ask", ...args, ...AS])).question_id;

test("an agent asks, a person sees what is asked and answers, and both see it in the list", async () => {
  expect(await text("answer")).toBe("Nothing is asked.\n");
  const later = await ask("And the name?", "--priority", "low");
  const id = await ask("Which city?", "--option", "Prague", "--option", "Brno", "--blocking", "--context", "To book.");
  const listed = await text("answer");
  expect(listed.indexOf(id)).toBeLessThan(listed.indexOf(later));
  expect(listed).toMatch(/from scout .*medium priority {2}work waits for it\n {2}Which city\?\n {2}To book\.\n/);
  expect(listed).toContain("For example: Prague · Brno");
  expect(await text("needs")).toContain(`answer ${id} TEXT`);
  await ground.json(["call", "workflow_check", '{"phase":"booking","output":"I need human input to continue."}']);
  expect(await text("answer", id)).toContain("  medium priority  the workflow waits for it in booking\n");
  expect(await text("answer", id, "Brno,", "please")).toBe("Answered. The work goes on.\n");
  expect(await text("question", "list")).toMatch(/Which city\? +answered +Brno, please/);
  expect(await ground.json(["answer", "--quiet"])).toMatchObject({ questions: [{ id: later }] });
  const again = await ground.parley(["answer", id, "Prague", "--json"]);
  expect([again.code, JSON.parse(again.stderr).error.code]).toEqual([5, "ALREADY_DECIDED"]);
  const unknown = await ground.parley(["answer", "4711471147114711", "x", "--json"]);
  expect([unknown.code, JSON.parse(unknown.stderr).error.code]).toEqual([4, "QUESTION_NOT_FOUND"]);
});

test("--wait prints the answer as soon as there is one", async () => {
  const waiting = text("ask", "Which city?", "--wait", ...AS);
  const [{ id } = { id: "" }] = await pending();
  await ground.json(["answer", id.slice(0, 15), "Brno"]);
  expect(await waiting).toMatch(/^Answered by admin:\n {2}Brno\n$/);
  const over = await ground.parley(["ask", "And now?", "--wait", "--timeout", "1ms", ...AS, "--json"]);
  expect([over.code, JSON.parse(over.stdout).state]).toEqual([1, "open"]);
});

test("a question is taken back by who asked, and dismissed by a person", async () => {
  const [first, second] = [await ask("One?"), await ask("Two?")];
  expect(await text("question", "withdraw", "latest", ...AS)).toBe(`Question ${second} is withdrawn.\n`);
  expect(await text("question", "dismiss", first)).toBe(`Question ${first} is dismissed.\n`);
  expect(await text("question", "dismiss", second)).toBe(`Question ${second} was withdrawn already.\n`);
  const late = await ground.parley(["answer", second, "x", "--json"]);
  expect(JSON.parse(late.stderr).error.code).toBe("NOTICE_CLOSED");
});

async function pending(): Promise<{ id: string }[]> {
  for (;;) {
    const { questions } = await ground.json<{ questions: { id: string }[] }>(["answer"]);
    if (questions.length > 0) return questions;
  }
}
