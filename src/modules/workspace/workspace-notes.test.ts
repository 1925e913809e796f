import { expect, test } from "vitest";
import { eachDatabase } from "../../testing/hub.ts";
import { Desk } from "../../testing/workspace.ts";

const START = Date.parse("2027-03-01T09:00:00Z");

eachDatabase((open) => {
  test("NOTE-1: add_note gives id, author, time and tags, and the note stays as it is", async () => {
    const hub = await open({ now: START });
    const scout = await Desk.of(hub, "agent", "scout");
    const links = [
      { kind: "url", ref: "https://example.com/prices" },
      { kind: "mail", ref: "1772355600000000" },
    ];
    const content = "Competitor X charges $10/mo";
    const added = await scout.done("add_note", { content, tags: ["pricing", "competitor", "pricing"], links });
    const facts = { author: "scout", timestamp: "2027-03-01T09:00:00.000Z", tags: ["pricing", "competitor"], links };
    expect(added).toEqual({ id: expect.stringMatching(/^\d{16}$/), ...facts });
    await scout.done("add_note", { content: "Something else" });
    const { notes, count, has_more } = await scout.done("read_notes");
    expect([count, has_more]).toEqual([2, false]);
    expect(notes[0]).toEqual({ id: added.id, content, ...facts });
    expect(
      hub.hub.tools.all.map(({ name }) => name).filter((name) => /note/.test(name) && !/notice/.test(name)),
    ).toEqual(["add_note", "note_tags", "read_notes"]);
  });

  test("NOTE-1: what a note comes from can be written in one piece", async () => {
    const scout = await Desk.of(await open(), "agent", "scout");
    const added = (link: string) => scout.done("add_note", { content: "x", links: [link] });
    expect((await added("mail:1772355600000000")).links).toEqual([{ kind: "mail", ref: "1772355600000000" }]);
    expect((await added("message:1772355600000000")).links).toEqual([{ kind: "message", ref: "1772355600000000" }]);
    expect((await added("https://example.com/a:b")).links).toEqual([{ kind: "url", ref: "https://example.com/a:b" }]);
    for (const link of ["mail:", "mail:x", "javascript:alert(1)", "prices", ""])
      expect(await scout.refused("add_note", { content: "x", links: [link] })).toBe("INVALID_ARGUMENT");
  });

  test("NOTE-1: the author is the agent that an orchestrator acts for", async () => {
    const hub = await open();
    const token = await hub.token("orchestrator", "chief");
    await hub.token("agent", "market-analyst");
    const chief = new Desk(hub, token, { "x-caller-agent": "market-analyst" });
    expect((await chief.done("add_note", { content: "a" })).author).toBe("market-analyst");
    expect((await new Desk(hub, token).done("add_note", { content: "b" })).author).toBe("chief");
  });

  test("NOTE-2: a text in any case, an exact tag, or both, in the order they were added, page by page", async () => {
    const hub = await open();
    const scout = await Desk.of(hub, "agent", "scout");
    const add = (content: string, ...tags: string[]) => scout.done("add_note", { content, tags });
    await add("Straße in PRAGUE", "place");
    await add("Coffee costs 10 % more", "price");
    await add("prague: rent rises", "price", "place");
    await add("ΟΔΟΣ", "Place");
    const find = async (args: object): Promise<string[]> =>
      (await scout.done("read_notes", args)).notes.map(({ content }: { content: string }) => content);
    expect(await find({ query: "Prague" })).toEqual(["Straße in PRAGUE", "prague: rent rises"]);
    expect(await find({ query: "strasse" })).toEqual(["Straße in PRAGUE"]);
    expect(await find({ query: "οδος" })).toEqual(["ΟΔΟΣ"]);
    expect(await find({ query: "% m" })).toEqual(["Coffee costs 10 % more"]);
    expect(await find({ query: "r" })).toEqual(["Straße in PRAGUE", "Coffee costs 10 % more", "prague: rent rises"]);
    expect(await find({ query: "'; drop table notes; --" })).toEqual([]);
    expect(await find({ tag: "place" })).toEqual(["Straße in PRAGUE", "prague: rent rises"]);
    expect(await find({ tag: "Place" })).toEqual(["ΟΔΟΣ"]);
    expect(await find({ tag: "plac" })).toEqual([]);
    expect(await find({ tag: "price", query: "RENT" })).toEqual(["prague: rent rises"]);
    expect(await find({ tag: "price", query: "o" })).toEqual(["Coffee costs 10 % more"]);
    expect(await find({ words: "rent pra" })).toEqual(["prague: rent rises"]);
    expect(await find({ words: "prague", tag: "place", query: "in P" })).toEqual(["Straße in PRAGUE"]);
    expect(await find({ words: "***" })).toEqual([]);
    for (const args of [{}, { query: "r" }, { query: "rag" }, { tag: "place" }] as object[]) {
      const seen: string[] = [];
      for (let after_id: string | undefined; ; ) {
        const page = await scout.done("read_notes", { ...args, limit: 1, ...(after_id && { after_id }) });
        expect(page.count).toBe(page.notes.length);
        seen.push(...page.notes.map(({ content }: { content: string }) => content));
        if (!page.has_more) break;
        after_id = page.last_id;
      }
      expect([args, seen]).toEqual([args, await find(args)]);
    }
  });

  test("NOTE-3: what is empty or too large is refused and changes nothing; a hundred at once are a hundred", async () => {
    const hub = await open();
    const scout = await Desk.of(hub, "agent", "scout");
    for (const content of ["", " \n\t"]) expect(await scout.refused("add_note", { content })).toBe("INVALID_ARGUMENT");
    expect(await scout.refused("add_note", { content: "é".repeat(32 * 1024 + 1) })).toBe("CONTENT_TOO_LARGE");
    expect((await scout.done("read_notes")).count).toBe(0);
    const adding = Array.from({ length: 100 }, (_, n) =>
      scout.done("add_note", { content: `note ${n}`, tags: ["all"] }),
    );
    const ids = (await Promise.all(adding)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(100);
    const { count, notes } = await scout.done("read_notes", { tag: "all" });
    expect([count, notes.length]).toEqual([100, 100]);
    expect((await scout.done("note_tags")).tags).toEqual([{ tag: "all", notes: 100 }]);
  });
});
