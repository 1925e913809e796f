/** What does not fit is refused with a sentence, and changes nothing. */
import { expect, test } from "vitest";
import { eachDatabase } from "../../testing/hub.ts";
import { CLIENTS } from "../../testing/mcp.ts";
import { Desk } from "../../testing/workspace.ts";

eachDatabase((open) => {
  test("each bad input to notes, draft and plan is refused with its code, over MCP with isError, and nothing changes", async () => {
    const hub = await open();
    const token = await hub.token("agent", "scout");
    const scout = new Desk(hub, token);
    await scout.done("write_draft_section", { section_id: "intro", content: "text" });
    const { tasks } = await scout.done("add_tasks", { tasks: [{ description: "one" }] });
    const [{ task_id }] = tasks;
    const before = await Promise.all(["read_notes", "read_draft", "read_plan"].map((tool) => scout.done(tool)));
    const section = { section_id: "intro", content: "x" };
    const bad: [tool: string, args: Record<string, unknown>, code: string][] = [
      ["add_note", { content: " " }, "INVALID_ARGUMENT"],
      ["add_note", { content: "x".repeat(64 * 1024 + 1) }, "CONTENT_TOO_LARGE"],
      ["add_note", { content: "x", tags: [""] }, "INVALID_ARGUMENT"],
      ["add_note", { content: "x", tags: ["two\nlines"] }, "INVALID_ARGUMENT"],
      ["add_note", { content: "x", tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }, "INVALID_ARGUMENT"],
      ["add_note", { content: "x", links: [{ kind: "url", ref: "javascript:alert(1)" }] }, "INVALID_ARGUMENT"],
      ["add_note", { content: "x", links: [{ kind: "mail", ref: "https://example.com" }] }, "INVALID_ARGUMENT"],
      ["add_note", { content: "x", session_id: "main" }, "INVALID_ARGUMENT"],
      ["write_draft_section", { ...section, content: "x".repeat(1024 * 1024) }, "CONTENT_TOO_LARGE"],
      ["write_draft_section", { ...section, section_id: "a/b" }, "INVALID_ARGUMENT"],
      ["write_draft_section", { ...section, section_id: "a\u0007" }, "INVALID_ARGUMENT"],
      ["write_draft_section", { ...section, title: "two\nlines" }, "INVALID_ARGUMENT"],
      ["write_draft_section", { ...section, expected_version: 7 }, "VERSION_CONFLICT"],
      ["write_draft_section", { section_id: "new", content: "x", expected_version: 1 }, "VERSION_CONFLICT"],
      ["read_section", { section_name: "nothing" }, "SECTION_NOT_FOUND"],
      ["read_draft", { section_id: "../../etc" }, "SECTION_NOT_FOUND"],
      ["read_draft", { version: 1 }, "INVALID_ARGUMENT"],
      ["read_draft", { after: "nothing" }, "SECTION_NOT_FOUND"],
      ["draft_history", { section_id: "nothing" }, "SECTION_NOT_FOUND"],
      ["draft_diff", { section_id: "intro" }, "INVALID_ARGUMENT"],
      ["draft_diff", { section_id: "intro", from: 1, to: 2 }, "SECTION_NOT_FOUND"],
      ["draft_move", { section_id: "intro" }, "INVALID_ARGUMENT"],
      ["draft_move", { section_id: "intro", before: "nothing" }, "SECTION_NOT_FOUND"],
      ["add_tasks", { tasks: [] }, "INVALID_ARGUMENT"],
      [
        "add_tasks",
        {
          tasks: [
            { description: "a", ref: "r" },
            { description: "b", ref: "r" },
          ],
        },
        "INVALID_ARGUMENT",
      ],
      ["add_tasks", { tasks: [{ description: "a", dependencies: ["r"] }] }, "PLAN_TASK_NOT_FOUND"],
      ["update_task", { task_id, status: "finished" }, "INVALID_ARGUMENT"],
      ["update_task", { task_id: "5", status: "todo" }, "PLAN_TASK_NOT_FOUND"],
      ["plan_link", { task_id, other_id: task_id }, "PLAN_CYCLE"],
      ["plan_link", { task_id, other_id: "5" }, "PLAN_TASK_NOT_FOUND"],
      ["plan_link", { task_id, other_id: "5", kind: "likes" }, "INVALID_ARGUMENT"],
    ];
    for (const [tool, args, code] of bad)
      expect([tool, args, await scout.refused(tool, args)]).toEqual([tool, args, code]);
    for (const connect of Object.values(CLIENTS)) {
      await using client = await connect({ url: hub.url, token, space: "main" });
      for (const [tool, args, code] of bad) {
        const { isError, content } = await client.call(tool, args);
        expect([tool, isError, JSON.parse(content[0]?.text ?? "{}").code]).toEqual([tool, true, code]);
      }
    }
    expect(await Promise.all(["read_notes", "read_draft", "read_plan"].map((tool) => scout.done(tool)))).toEqual(
      before,
    );
  });

  test("five hundred tasks are added at once, and one more than that are refused", async () => {
    const hub = await open();
    const scout = await Desk.of(hub, "agent", "scout");
    const many = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ description: `task ${n}`, dependencies: n > 0 ? [n - 1] : [] }));
    expect(await scout.refused("add_tasks", { tasks: many(501) })).toBe("INVALID_ARGUMENT");
    expect((await scout.done("add_tasks", { tasks: many(500) })).count).toBe(500);
    const first = await scout.done("read_plan", { limit: 300 });
    const rest = await scout.done("read_plan", { after_id: first.last_id });
    expect([first.plan.length, first.has_more, rest.plan.length, rest.has_more]).toEqual([300, true, 200, false]);
    expect(rest.plan.at(-1).dependencies).toEqual([rest.plan.at(-2).id]);
  });

  test("ten thousand notes at once are answered by limits, and what was taken is there", async () => {
    const hub = await open({ config: { rate_limit: 1 } });
    const scout = await hub.actor(await hub.token("agent", "scout"));
    const tool = hub.hub.tools.find("add_note");
    const add = (_: unknown, n: number) =>
      hub.hub.call(scout, tool, { content: `note ${n}`, tags: ["many"] }, { door: "internal" });
    const answers = await Promise.allSettled(Array.from({ length: 10_000 }, add));
    const taken = answers.filter(({ status }) => status === "fulfilled").length;
    const refused = answers.filter((answer) => answer.status === "rejected" && answer.reason.code === "RATE_LIMITED");
    expect(taken).toBeGreaterThan(0);
    expect(taken + refused.length).toBe(10_000);
    const admin = new Desk(hub, hub.admin);
    expect((await admin.done("note_tags")).tags).toEqual([{ tag: "many", notes: taken }]);
  });

  test("a note of 64 KiB that has every piece only once is stored, and found by any of them", async () => {
    const hub = await open();
    const scout = await Desk.of(hub, "agent", "scout");
    let seed = 7;
    const content = Array.from({ length: 64 * 1024 }, () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return String.fromCharCode(33 + (seed % 94));
    }).join("");
    await scout.done("add_note", { content });
    await scout.done("add_note", { content: "short" });
    for (const at of [0, 30_000, 65_500])
      expect((await scout.done("read_notes", { query: content.slice(at, at + 36) })).count).toBe(1);
    expect((await scout.done("read_notes", { query: "hor" })).notes.at(-1).content).toBe("short");
  });

  test("HTML, scripts and pictures in a section are text in the export", async () => {
    const hub = await open();
    const scout = await Desk.of(hub, "agent", "scout");
    const content = `<script>alert(1)</script>\n\n[x](javascript:alert(1)) ![p](https://example.com/p.png "t") <img src=x onerror=alert(1)>`;
    await scout.done("write_draft_section", { section_id: "a", title: "<b>A</b> & co", content });
    const { content: html } = await scout.done("draft_export", { format: "html" });
    expect(html).toContain("<h1>&lt;b&gt;A&lt;/b&gt; &amp; co</h1>");
    expect(html.slice(html.indexOf("<body>"))).not.toMatch(/<script|<img|href="javascript|onerror=alert\(1\)>/i);
  });
});
