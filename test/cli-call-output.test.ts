/** `parley output`: all that a call on an agent's timeline gave, where the list has how it begins. */
import { expect, test } from "vitest";
import { callTool } from "../src/testing/crowd.ts";
import { Restarts } from "../src/testing/restarts.ts";

/** More than one page of it has. */
const LONG = "line of it\n".repeat(20_000);

test("prints all that a call gave and was given, as it is named on the timeline", async () => {
  await using restarts = new Restarts();
  await restarts.start();
  const scout = await restarts.token("agent", "scout");
  const { fence } = (await callTool(scout, "runtime_start", { driver: "test" }))?.body ?? {};
  const begun = await callTool(scout, "runtime_record", { fence, events: [{ type: "TurnStarted", key: "t" }] });
  const [turn_id] = begun?.body.ids ?? [];
  const events = [
    { type: "ToolCall", key: "c", sample: 0, call_id: "c", tool: "look", arguments: '{"at":"it"}' },
    { type: "ToolOutput", key: "o", call_id: "c", outcome: "done", output: LONG },
  ];
  expect((await callTool(scout, "runtime_record", { fence, turn_id, events }))?.status).toBe(200);

  const { ground } = restarts;
  const { items } = await ground.json<{ items: { id: string; output: string; cut_parts: string[] }[] }>([
    ...["timeline", "scout"],
  ]);
  const [item] = items;
  expect([item?.cut_parts, item?.output.length]).toEqual([["output"], 16_385]);
  const id = item?.id ?? "";
  expect(await ground.json(["output", id, "--agent", "scout"])).toEqual({ id, part: "output", text: LONG });
  const printed = await ground.parley(["output", id]);
  expect([printed.code, printed.stdout.trimEnd()]).toEqual([0, LONG.trimEnd()]);
  expect((await ground.parley(["output", id, "--part", "arguments"])).stdout).toBe('{"at":"it"}\n');
  const none = await ground.parley(["output", turn_id ?? "", "--agent", "scout", "--json"]);
  expect([none.code, JSON.parse(none.stderr).error.code]).toEqual([4, "NOT_FOUND"]);
});
