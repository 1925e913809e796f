import { expect, test } from "vitest";
import { eachDatabase } from "../../testing/hub.ts";
import { Desk } from "../../testing/workspace.ts";

const START = Date.parse("2027-03-01T09:00:00Z");

eachDatabase((open) => {
  test("DRAFT-1: a new section is version 1, written anew it is version 2, with another author and time", async () => {
    const hub = await open({ now: START });
    const scout = await Desk.of(hub, "agent", "scout");
    const ana = await Desk.of(hub, "human", "ana");
    const section = { section_id: "market_analysis", title: "Market" };
    const first = await scout.done("write_draft_section", { ...section, content: "Small." });
    const facts = { ...section, version: 1, author: "scout", last_updated: "2027-03-01T09:00:00.000Z", place: 1 };
    expect(first).toEqual({ ...facts, created: true });
    await hub.tick(60_000);
    const second = await ana.done("write_section", { section_id: "market_analysis", content: "Large." });
    const later = { ...facts, version: 2, author: "ana", last_updated: "2027-03-01T09:01:00.000Z" };
    expect(second).toEqual({ ...later, created: false });
    expect(await scout.done("read_draft")).toEqual({ sections: [{ ...later, content: "Large." }], next: null });
    expect(await scout.done("read_section", { section_name: "market_analysis" })).toEqual({
      ...later,
      content: "Large.",
    });
  });

  test("DRAFT-2: against another version a write is refused with both texts and a merge; without one it overwrites", async () => {
    const hub = await open();
    const scout = await Desk.of(hub, "agent", "scout");
    const ana = await Desk.of(hub, "human", "ana");
    const write = (content: string, expected_version?: number) => ({
      section_id: "intro",
      content,
      ...(expected_version !== undefined && { expected_version }),
    });
    await scout.done("write_draft_section", write("one\ntwo\nthree\nfour\nfive\n", 0));
    await ana.done("write_draft_section", write("ONE\ntwo\nthree\nfour\nfive\n", 1));
    const { status, body } = await scout.call("write_draft_section", write("one\ntwo\nthree\nfour\nFIVE\n", 1));
    expect([status, body]).toMatchObject([
      409,
      {
        code: "VERSION_CONFLICT",
        current_version: 2,
        current: { title: "intro", content: "ONE\ntwo\nthree\nfour\nfive\n", author: "ana" },
        yours: { title: "intro", content: "one\ntwo\nthree\nfour\nFIVE\n" },
        merged: { content: "ONE\ntwo\nthree\nfour\nFIVE\n", conflicts: 0 },
      },
    ]);
    expect((await scout.done("read_draft")).sections[0].version).toBe(2);
    expect((await scout.done("write_draft_section", write(body.merged.content, 2))).version).toBe(3);
    expect((await ana.done("write_draft_section", write("over"))).version).toBe(4);
  });

  test("of many who write against one version exactly one does", async () => {
    const hub = await open();
    const scout = await Desk.of(hub, "agent", "scout");
    await scout.done("write_draft_section", { section_id: "a", content: "base" });
    const write = (_: unknown, n: number) =>
      scout.call("write_draft_section", { section_id: "a", content: `by ${n}`, expected_version: 1 });
    const answers = await Promise.all(Array.from({ length: 20 }, write));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === "VERSION_CONFLICT")).toHaveLength(19);
    expect((await scout.done("draft_history", { section_id: "a" })).versions).toHaveLength(2);
  });

  test("what was acknowledged of notes, draft and plan is there after a restart", async () => {
    const first = await open();
    const token = await first.token("agent", "scout");
    const scout = new Desk(first, token);
    await scout.done("add_note", { content: "a fact", tags: ["x"] });
    for (const content of ["one", "two"]) await scout.done("write_draft_section", { section_id: "a", content });
    await scout.done("add_tasks", { tasks: [{ description: "one" }, { description: "two", dependencies: [0] }] });
    const state = (desk: Desk) =>
      Promise.all([
        desk.done("read_notes", { query: "fact" }),
        desk.done("note_tags"),
        desk.done("read_draft"),
        desk.done("draft_history", { section_id: "a" }),
        desk.done("read_plan"),
      ]);
    const before = await state(scout);
    await first.stop();
    expect(await state(new Desk(await open({ same: first }), token))).toEqual(before);
  });

  test("DRAFT-3: the history is read, compared and whole; an unknown section is refused with the nearest name", async () => {
    const hub = await open();
    const scout = await Desk.of(hub, "agent", "scout");
    const ana = await Desk.of(hub, "human", "ana");
    const section_id = "executive_summary";
    await scout.done("write_draft_section", { section_id, title: "Summary", content: "a\nb\nc" });
    await ana.done("write_draft_section", { section_id, content: "a\nB\nc\nd" });
    const { versions, next } = await scout.done("draft_history", { section_id });
    expect([versions.map(({ version, author }: Record<string, unknown>) => [version, author]), next]).toEqual([
      [
        [2, "ana"],
        [1, "scout"],
      ],
      null,
    ]);
    const old = await scout.done("read_draft", { section_id, version: 1 });
    expect(old.sections).toMatchObject([{ version: 1, content: "a\nb\nc" }]);
    expect(await scout.done("draft_diff", { section_id })).toEqual({
      ...{ section_id, from: 1, to: 2, added: 2, removed: 1 },
      diff: "@@ -1,3 +1,4 @@\n a\n-b\n+B\n c\n+d\n",
    });
    const { status, body } = await scout.call("read_section", { section_name: "executive_sumary" });
    expect([status, body.code]).toEqual([404, "SECTION_NOT_FOUND"]);
    expect(body.error).toContain("Did you mean executive_summary?");
    expect(await scout.refused("read_draft", { section_id, version: 3 })).toBe("SECTION_NOT_FOUND");
  });

  test("sections have an order, in which they are read and exported", async () => {
    const hub = await open();
    const scout = await Desk.of(hub, "agent", "scout");
    for (const id of ["a", "b", "c"])
      await scout.done("write_draft_section", { section_id: id, title: id.toUpperCase(), content: `*${id}*` });
    expect((await scout.done("draft_move", { section_id: "c", before: "a" })).order).toEqual(["c", "a", "b"]);
    expect((await scout.done("draft_move", { section_id: "c", after: "a" })).order).toEqual(["a", "c", "b"]);
    expect((await scout.done("draft_move", { section_id: "a", place: 9 })).order).toEqual(["c", "b", "a"]);
    const { sections } = await scout.done("read_draft");
    expect(sections.map(({ section_id, place }: Record<string, unknown>) => [section_id, place])).toEqual([
      ["c", 1],
      ["b", 2],
      ["a", 3],
    ]);
    // However often: there is always room between two.
    for (let n = 0; n < 40; n += 1) await scout.done("draft_move", { section_id: n % 2 === 0 ? "b" : "a", after: "c" });
    expect(
      (await scout.done("read_draft")).sections.map((section: { section_id: string }) => section.section_id),
    ).toEqual([...["c", "a", "b"]]);
    await scout.done("draft_move", { section_id: "a", place: 3 });
    expect((await scout.done("draft_export")).content).toBe("# C\n\n*c*\n\n# B\n\n*b*\n\n# A\n\n*a*\n");
    expect((await scout.done("draft_export", { format: "html" })).content).toContain("<h1>C</h1>\n<p><em>c</em></p>");
  });
});
