import { expect, test } from "vitest";
import { onDatabase } from "../testing/hub.ts";
import { query } from "../testing/postgres.ts";

const DAY_MS = 24 * 3600 * 1000;
const MIB = 1024 * 1024;

onDatabase("postgres", (open) => {
  test("the words of spaces that have ended take no room a day later, and those of others are still found", async () => {
    const hub = await open({ now: Date.UTC(2026, 0, 1) });
    const url = hub.database_url ?? "";
    const size = async (): Promise<number> =>
      Number((await query(url, "select pg_relation_size('note_words_words') as bytes"))[0]?.bytes);
    await hub.call(hub.admin, "create_session", { session_id: "sess_a" });
    const scout = await hub.token("agent", "scout");
    await hub.call(scout, "add_note", { content: "A needle, still there." });
    await query(
      url,
      `with made as (insert into notes (space_id, id, author, author_id, content, folded, tags, links, bytes)
       select 'sess_a', n, 'scout', 'p', 'text', 'text', '[]', '[]', 4 from generate_series(1, 400) as n returning seq)
       insert into note_words (seq, words) select seq, array_to_tsvector(array(select md5(seq || ' ' || w)
       from generate_series(1, 300) as w)) from made`,
    );
    await hub.call(hub.admin, "space_delete", { id: "sess_a" });
    await hub.tick(1000);
    await expect.poll(async () => (await query(url, "select 1 from notes where space_id = 'sess_a'")).length).toBe(0);
    await query(url, "vacuum note_words");
    expect(await size()).toBeGreaterThan(4 * MIB);

    await hub.tick(2 * DAY_MS);
    await expect.poll(size, { timeout: 60_000 }).toBeLessThan(MIB);
    expect((await hub.call(scout, "read_notes", { query: "NEEDLE" })).body.notes).toHaveLength(1);
  });
});
