/** What followers of the workspace hear, and where it is read beside the tools. */
import { expect, test } from "vitest";
import type { Module } from "../../module.ts";
import { EventStream } from "../../testing/event-stream.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { CLIENTS } from "../../testing/mcp.ts";
import { Desk } from "../../testing/workspace.ts";

const START = Date.parse("2027-03-01T09:00:00Z");

eachDatabase((open) => {
  const follow = (hub: TestHub, token: string) =>
    EventStream.open(hub.url, { token, topics: "workspace", headers: { "x-session-id": "main" } });
  const told = (stream: EventStream) =>
    stream.events.filter(({ event }) => event === "workspace").map(({ data }) => data as Record<string, unknown>);

  test("whoever follows the workspace is told of notes, sections and tasks with what changed", async () => {
    const hub = await open({ now: START });
    const token = await hub.token("agent", "scout");
    const scout = new Desk(hub, token);
    using stream = await follow(hub, token);
    const long = "😀".repeat(300);
    const { id: note_id } = await scout.done("add_note", { content: long, tags: ["a"] });
    await scout.done("write_draft_section", { section_id: "intro", title: "Intro", content: "one" });
    await scout.done("write_draft_section", { section_id: "intro", content: "two" });
    await scout.done("draft_move", { section_id: "intro", place: 1 });
    const { tasks } = await scout.done("add_tasks", { tasks: [{ description: "do" }, { description: "then" }] });
    const [task_id, other_id] = tasks.map((task: { task_id: string }) => task.task_id);
    await scout.done("update_task", { task_id, status: "in_progress" });
    await scout.done("plan_link", { task_id: other_id, other_id: task_id, kind: "parent" });
    const section = { section_id: "intro", title: "Intro", author: "scout" };
    const events = [
      { type: "note.added", note_id, author: "scout", tags: ["a"], preview: "😀".repeat(200) },
      { type: "section.created", ...section, version: 1, preview: "one" },
      { type: "section.updated", ...section, version: 2, preview: "two" },
      { type: "plan.added", task_id, description: "do", status: "todo", assigned_to: null },
      { type: "plan.added", task_id: other_id, description: "then", status: "todo", assigned_to: null },
      { type: "plan.updated", task_id, old_status: "todo", new_status: "in_progress", author: "scout" },
      { type: "plan.linked", task_id: other_id, other_id: task_id, kind: "parent" },
    ];
    await expect.poll(() => told(stream)).toMatchObject(events);
    expect(told(stream)).toHaveLength(events.length);
  });

  test("NOTIFY-2: that a section was read is told after the answer, of a reader and a section once within a second", async () => {
    const hub = await open({ now: START });
    const token = await hub.token("agent", "scout");
    const scout = new Desk(hub, token);
    const ana = await Desk.of(hub, "human", "ana");
    for (const section_id of ["a", "b"]) await scout.done("write_draft_section", { section_id, content: "text" });
    using stream = await follow(hub, token);
    const reads = () =>
      told(stream)
        .filter(({ type }) => type === "section.read")
        .map(({ section_id, reader }) => [section_id, reader]);
    for (let n = 0; n < 3; n += 1) await ana.done("read_section", { section_name: "a" });
    await expect.poll(reads).toEqual([["a", "ana"]]);
    await ana.done("read_draft");
    await expect.poll(reads).toEqual([
      ["a", "ana"],
      ["b", "ana"],
    ]);
    await hub.tick(1001);
    await ana.done("read_section", { section_name: "a" });
    await scout.done("read_draft", { section_id: "a" });
    await expect.poll(reads).toEqual([
      ["a", "ana"],
      ["b", "ana"],
      ["a", "ana"],
      ["a", "scout"],
    ]);
  });

  test("NOTIFY-6: what is refused is told to nobody", async () => {
    const hub = await open();
    const token = await hub.token("agent", "scout");
    const scout = new Desk(hub, token);
    using stream = await follow(hub, token);
    await scout.refused("add_note", { content: "" });
    await scout.refused("write_draft_section", { section_id: "a", content: "x", expected_version: 4 });
    await scout.refused("add_tasks", { tasks: [{ description: "x" }, { description: "y", dependencies: ["z"] }] });
    await scout.refused("read_section", { section_name: "a" });
    await scout.done("add_note", { content: "the only one" });
    await expect.poll(() => told(stream)).toMatchObject([{ type: "note.added", preview: "the only one" }]);
    expect(told(stream)).toHaveLength(1);
  });

  test("every part of the workspace is a resource, and whoever follows one is told of that one alone", async () => {
    const hub = await open();
    const token = await hub.token("agent", "scout");
    const scout = new Desk(hub, token);
    await scout.done("add_note", { content: "a fact", tags: ["x"] });
    await scout.done("write_draft_section", { section_id: "the intro", title: "Intro", content: "text" });
    await scout.done("add_tasks", { tasks: [{ description: "do it", assigned_to: "scout" }] });
    const clients = await Promise.all(
      Object.values(CLIENTS).map((connect) => connect({ url: hub.url, token, space: "main" })),
    );
    for (const client of clients) {
      expect((await client.read("parley://workspace")).body).toMatchObject({
        notes: [{ content: "a fact", tags: ["x"], author: "scout" }],
        draft_sections: { "the intro": { title: "Intro", content: "text" } },
        plan: [{ description: "do it", status: "todo", assigned_to: "scout" }],
      });
      expect((await client.read("parley://workspace/notes")).body).toMatchObject({ notes: [{}], has_more: false });
      expect((await client.read("parley://workspace/draft")).body).toMatchObject({ sections: [{ place: 1 }] });
      expect((await client.read("parley://workspace/draft/the%20intro")).body).toMatchObject({ content: "text" });
      expect((await client.read("parley://workspace/plan")).body).toMatchObject({ plan: [{ ready: true }] });
    }
    const section = "parley://workspace/draft/new";
    for (const client of clients) for (const uri of [section, "parley://workspace/plan"]) await client.subscribe(uri);
    await scout.done("add_note", { content: "nobody waits for it" });
    await scout.done("write_draft_section", { section_id: "other", content: "nor for this" });
    await scout.done("write_draft_section", { section_id: "new", content: "but for this" });
    for (const client of clients) {
      await expect.poll(() => client.updates.map(({ uri }) => uri)).toEqual([section]);
      await client[Symbol.asyncDispose]();
    }
  });

  test("a section that a module makes is read like any other, and nobody can write one of its name", async () => {
    const weather: Module = {
      name: "weather",
      servers: [],
      tools: [],
      tables: [],
      sections: [{ section_id: "forecast", title: "Forecast", topic: "weather", read: async () => "Rain." }],
    };
    const hub = await open({ modules: [weather] });
    const scout = await Desk.of(hub, "agent", "scout");
    const made = { section_id: "forecast", title: "Forecast", content: "Rain.", version: 0, author: null };
    expect(await scout.done("read_section", { section_name: "forecast" })).toMatchObject(made);
    expect((await scout.done("read_draft")).sections).toEqual([]);
    for (const section_id of ["forecast", "user_answers"])
      expect(await scout.refused("write_draft_section", { section_id, content: "Sun." })).toBe("INVALID_ARGUMENT");
  });

  test("why a note, a version of a section and a task of the plan are there is known as long as they are", async () => {
    const hub = await open();
    const scout = await hub.token("agent", "scout");
    const ana = await hub.token("human", "ana");
    const { id: asked } = (await hub.call(ana, "chat_human_post", { content: "Look at the prices" })).body;
    const desk = new Desk(hub, scout, { "x-parley-cause": asked });
    const { id: note } = await desk.done("add_note", { content: "Ten a month" });
    await desk.done("write_draft_section", { section_id: "prices", title: "Prices", content: "Ten." });
    const { tasks } = await desk.done("add_tasks", { tasks: [{ description: "Ask for less" }] });
    const { led_to } = await new Desk(hub, ana).done("event_why", { id: asked });
    expect(led_to.map(({ kind, text }: Record<string, string>) => [kind, text])).toEqual([
      ["note", "Ten a month"],
      ["section", "Prices\nTen."],
      ["plan task", "Ask for less"],
    ]);
    for (const id of [note, tasks[0].task_id]) {
      const { steps } = await new Desk(hub, ana).done("event_why", { id });
      expect(steps.map((step: { id: string }) => step.id)).toEqual([id, asked]);
    }
  });

  test("SPACE-4: nothing of the workspace of one space is in that of another", async () => {
    const hub = await open();
    await new Desk(hub, hub.admin).done("space_create", { id: "sess_other" });
    const [scout, otter] = [
      new Desk(hub, await hub.token("agent", "scout")),
      new Desk(hub, await hub.token("agent", "otter", "sess_other"), { "x-session-id": "sess_other" }),
    ];
    await scout.done("add_note", { content: "a secret fact", tags: ["secret"] });
    await scout.done("write_draft_section", { section_id: "secret", content: "text" });
    const { tasks } = await scout.done("add_tasks", { tasks: [{ description: "secret" }] });
    for (const query of [{}, { query: "secret" }, { query: "s" }, { tag: "secret" }, { words: "secret" }])
      expect((await otter.done("read_notes", query)).notes).toEqual([]);
    expect((await otter.done("note_tags")).tags).toEqual([]);
    expect((await otter.done("read_draft")).sections).toEqual([]);
    expect(await otter.refused("read_section", { section_name: "secret" })).toBe("SECTION_NOT_FOUND");
    expect((await otter.done("read_plan")).plan).toEqual([]);
    const [{ task_id }] = tasks;
    expect(await otter.refused("update_task", { task_id, status: "todo" })).toBe("PLAN_TASK_NOT_FOUND");
    expect(await otter.refused("add_tasks", { tasks: [{ description: "x", dependencies: [task_id] }] })).toBe(
      "PLAN_TASK_NOT_FOUND",
    );
  });
});
