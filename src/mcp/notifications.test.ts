/** What happens in a workspace, told by name to clients of both eras. */
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { clientsOn, type McpClient } from "../testing/mcp.ts";
import { openDoor } from "../testing/mcp-raw.ts";
import { Desk } from "../testing/workspace.ts";

const START = Date.UTC(2026, 0, 1);
const SPACE = "sess_a";
const TIME = expect.stringMatching(/^2026-01-01T00:00:\d\d\.\d{3}Z$/);
const NAMES = [
  "scratchpad/section_created",
  "scratchpad/section_updated",
  "scratchpad/section_read",
  "scratchpad/checklist_updated",
  "scratchpad/note_added",
  "scratchpad/question_added",
  "scratchpad/question_answered",
  "scratchpad/question_closed",
  "scratchpad/questions_pending",
];
/** Without what only one of the eras adds. */
const told = ({ notified }: McpClient) => notified.map(({ method, params: { _meta, ...rest } }) => [method, rest]);
const previews = (client: McpClient) => client.notified.map(({ params }) => params.content_preview);

eachDatabase((open, database) => {
  let hub: TestHub;
  let token: string;
  let scout: Desk;
  beforeEach(async () => {
    hub = await open({ now: START });
    for (const session_id of [SPACE, "sess_b"]) await hub.call(hub.admin, "create_session", { session_id });
    token = await hub.token("agent", "scout", SPACE);
    scout = new Desk(hub, token, { "x-session-id": SPACE });
  });
  const at = (facet = "workspace") => ({ url: hub.url, token, facet, space: SPACE });
  const note = (content: string) => scout.done("add_note", { content });
  const NOTES = { events: ["scratchpad/note_added"] };

  for (const [kind, connect] of clientsOn(database)) {
    test(`NOTIFY-2: ${kind} is told of sections, the checklist, notes and questions with exactly these fields`, async () => {
      await using client = await connect(at());
      await client.follow({ session_id: SPACE });
      const long = `${"x".repeat(199)}😀😀`;
      await scout.done("write_draft_section", { section_id: "market", title: "Market", content: "one" });
      await scout.done("write_draft_section", { section_id: "market", content: long });
      await scout.done("read_section", { section_name: "market" });
      await expect.poll(() => client.notified.length).toBe(3);
      const { tasks } = await scout.done("add_tasks", { tasks: [{ description: "size it" }] });
      await scout.done("update_task", { task_id: tasks[0].task_id, status: "in_progress" });
      const { id: note_id } = await scout.done("add_note", { content: long, tags: ["price"] });
      const { question_id } = await scout.done("add_question", {
        question: "Budget?",
        priority: "high",
        blocking: true,
      });
      const boss = new Desk(hub, await hub.token("orchestrator", "boss", SPACE), { "x-session-id": SPACE });
      const { checkpoint_id } = await boss.done("workflow_check");
      const ana = new Desk(hub, await hub.token("human", "ana", SPACE), { "x-session-id": SPACE });
      await ana.done("submit_answers", { answers: { [question_id]: "ten" } });
      const of = { session_id: SPACE, timestamp: TIME };
      const content_preview = `${"x".repeat(199)}😀`;
      const events = [
        ["scratchpad/section_created", { ...of, section_name: "market" }],
        ["scratchpad/section_updated", { ...of, section_name: "market", content_preview }],
        ["scratchpad/section_read", { ...of, section_name: "market", reader_agent: "scout" }],
        [
          "scratchpad/checklist_updated",
          { ...of, item_id: tasks[0].task_id, old_status: "todo", new_status: "in_progress" },
        ],
        ["scratchpad/note_added", { ...of, note_id, author: "scout", tags: ["price"], content_preview }],
        [
          "scratchpad/question_added",
          { ...of, question_id, question: "Budget?", asked_by: "scout", priority: "high", blocking: true },
        ],
        [
          "scratchpad/questions_pending",
          { ...of, checkpoint_id, questions: [expect.objectContaining({ id: question_id, question: "Budget?" })] },
        ],
        ["scratchpad/question_answered", { ...of, question_id, asked_by: "scout" }],
      ];
      await expect.poll(() => told(client)).toEqual(events);
    });

    test(`NOTIFY-1: ${kind} hears of what it named alone, of all without a name, and of nothing once it unsubscribed`, async () => {
      await using one = await connect(at());
      await using all = await connect(at());
      const stop = await one.follow({ events: ["scratchpad/section_updated"] });
      await all.follow({ session_id: SPACE, events: [] });
      await note("for who wants notes");
      for (const content of ["1", "2"]) await scout.done("write_draft_section", { section_id: "a", content });
      await expect.poll(() => previews(one)).toEqual(["2"]);
      await expect.poll(() => previews(all)).toEqual(["for who wants notes", undefined, "2"]);
      await stop();
      await scout.done("write_draft_section", { section_id: "a", content: "3" });
      await expect.poll(() => previews(all)).toHaveLength(4);
      expect(previews(one)).toEqual(["2"]);
    });

    test(`NOTIFY-1: ${kind} is refused for a name that there is not, and told those there are`, async () => {
      await using client = await connect(at());
      await expect(client.follow({ events: ["scratchpad/section_updated", "scratchpad/nonsense"] })).rejects.toThrow(
        /no event "scratchpad\/nonsense".*scratchpad\/section_created/,
      );
      expect(JSON.stringify(client.capabilities())).toContain(
        JSON.stringify({ "parley/scratchpad": { events: NAMES } }).slice(1, -1),
      );
    });

    test(`SPACE-3: ${kind} that names another space than its own is told that there is none`, async () => {
      await using client = await connect(at());
      for (const session_id of ["sess_b", "sess_none", "main"])
        await expect(client.follow({ session_id })).rejects.toThrow(/There is no space|404/);
    });

    test(`NOTIFY-3: ${kind} hears of its own space alone, and of what it wrote itself`, async () => {
      const other = await hub.token("agent", "mason", "sess_b");
      await using here = await connect(at());
      await using there = await connect({ ...at(), token: other, space: "sess_b" });
      await here.follow();
      await there.follow();
      await new Desk(hub, other, { "x-session-id": "sess_b" }).done("add_note", { content: "there" });
      await here.call("add_note", { content: "here" });
      await expect.poll(() => previews(here)).toEqual(["here"]);
      await expect.poll(() => previews(there)).toEqual(["there"]);
      expect(here.notified[0]?.params.session_id).toBe(SPACE);
    });

    test(`NOTIFY-3: the 11th subscription of a space is refused to ${kind}, and has room when one ended`, async () => {
      await using client = await connect(at());
      const stops: (() => Promise<void>)[] = [];
      for (let n = 0; n < 10; n += 1) stops.push(await client.follow(NOTES));
      await expect(client.follow()).rejects.toThrow(/at most 10 subscriptions/);
      await stops.pop()?.();
      await expect.poll(() => client.follow(NOTES).then(Boolean, () => false)).toBe(true);
    });

    test(`NOTIFY-6: ${kind} is not told of what was refused`, async () => {
      await using client = await connect(at());
      await client.follow();
      await scout.refused("add_note", { content: "" });
      await scout.refused("write_draft_section", { section_id: "a", content: "x", expected_version: 4 });
      await scout.refused("update_task", { task_id: "17", status: "completed" });
      await scout.refused("add_question", { question: "?", priority: "bogus" });
      await note("the only one");
      await expect.poll(() => previews(client)).toEqual(["the only one"]);
    });

    // The oldest transport knows no way back to its session.
    if (kind === "an HTTP+SSE client") continue;
    test(`NOTIFY-5: ${kind} whose connection was cut is told everything once, in order`, async () => {
      await using door = await openDoor(hub.hub, {});
      await using client = await connect({ ...at(), url: door.url });
      await client.follow(NOTES);
      await note("before");
      await expect.poll(() => previews(client)).toEqual(["before"]);
      door.cut();
      await note("meanwhile");
      if (client.ended) {
        expect(await client.ended()).toBe("remote");
        const after = client.notified.at(-1)?.params._meta?.["parley/event_id"];
        await client.follow({ ...NOTES, after: String(after) });
      }
      await note("after");
      await expect.poll(() => previews(client), { timeout: 20_000 }).toEqual(["before", "meanwhile", "after"]);
    });
  }
});
