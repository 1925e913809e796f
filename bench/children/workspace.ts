/** Two hubs in this process: one with few notes and one version of each section, one with many of both. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Actor } from "../../src/context.ts";
import { fold, piecesOf } from "../../src/db/pieces.ts";
import { tokenOf, wordsOf } from "../../src/db/words.ts";
import { CONTENT } from "../support/wire.ts";
import { answerBench, folder } from "./answering.ts";
import { startBenchHub } from "./bench-hub.ts";

const FOUND = 20;
const SECTIONS = 200;
const SIZES = {
  few: { notes: 1000, versions: 1 },
  many: { notes: Number(process.env.BENCH_NOTES), versions: Number(process.env.BENCH_VERSIONS) },
};
type Size = keyof typeof SIZES;

const READS = {
  tag: { tool: "read_notes", args: { tag: "rare" }, list: "notes", found: FOUND },
  text: { tool: "read_notes", args: { query: "A Needle" }, list: "notes", found: FOUND },
  common: { tool: "read_notes", args: { query: "competitor", limit: FOUND }, list: "notes", found: FOUND },
  draft: { tool: "read_draft", args: {}, list: "sections", found: SECTIONS },
};
type Read = keyof typeof READS;

async function fill(size: Size): Promise<(read: Read) => Promise<Record<string, unknown>>> {
  const home = join(folder, size);
  const empty = await startBenchHub(home);
  const token = await empty.token("agent", "scout");
  const scout = await empty.actor(token);
  await empty.running.stop();
  const database = new DatabaseSync(join(home, "parley.db"), { timeout: 5000 });
  database.exec("pragma synchronous = off; begin immediate");
  insertNotes(database, scout, SIZES[size].notes);
  insertDraft(database, scout, SIZES[size].versions);
  database.exec("commit; pragma wal_checkpoint(truncate)");
  database.close();
  const { actor, call } = await startBenchHub(home);
  const reader = await actor(token);
  // Both tools answer with an object of lists.
  return (read) => call(reader, READS[read].tool, READS[read].args) as Promise<Record<string, unknown>>;
}

/** Before everything that is there already, so that the space's counter stays where it is. */
const START = (Date.now() - 3_600_000) * 1000;

/** As the hub would write them. */
function insertNotes(database: DatabaseSync, { space_id, name, principal_id }: Actor, count: number): void {
  const note = database.prepare(
    `insert into notes (space_id, id, author, author_id, content, folded, tags, links, bytes)
     values (?, ?, ?, ?, ?, ?, ?, '[]', ?)`,
  );
  const word = database.prepare("insert into note_words (rowid, words, readers) values (?, ?, ?)");
  for (let n = 1; n <= count; n += 1) {
    const isRare = n % Math.floor(count / FOUND) === 0;
    const content = `${isRare ? "A needle. " : ""}Competitor ${n} charges ${n * 7} a month in Prague.`;
    const tags = isRare ? ["all", "rare"] : ["all"];
    const folded = fold(content);
    const { lastInsertRowid } = note.run(
      ...[space_id, START + n, name, principal_id, content, folded, JSON.stringify(tags), content.length],
    );
    const marks = [...tags.map((tag) => tokenOf(`${space_id} tag ${tag}`)), ...piecesOf(folded, space_id)];
    const { words, readers } = wordsOf({}, content, { readers: [space_id], marks });
    word.run(lastInsertRowid, words, readers);
  }
}

function insertDraft(database: DatabaseSync, { space_id, name, principal_id }: Actor, versions: number): void {
  const content = CONTENT.repeat(Math.ceil(2000 / CONTENT.length));
  const section = database.prepare(
    `insert into draft_sections (space_id, section_id, order_key, version, id, bytes, author, title, content)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const version = database.prepare(
    `insert into draft_versions (space_id, section_id, version, id, title, content, bytes, author, author_id)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (let n = 1; n <= SECTIONS; n += 1)
    section.run(
      ...[space_id, `section_${n}`, n, versions, START + versions * SECTIONS + n],
      ...[content.length, name, `Section ${n}`, content],
    );
  // One version of all, then the next of all: as they come to be.
  for (let v = 1; v <= versions; v += 1)
    for (let n = 1; n <= SECTIONS; n += 1)
      version.run(
        ...[space_id, `section_${n}`, v, START + v * SECTIONS + n, `Section ${n}`],
        ...[content, content.length, name, principal_id],
      );
}

const hubs = { few: await fill("few"), many: await fill("many") };
for (const [size, ask] of Object.entries(hubs))
  for (const [read, { list, found }] of Object.entries(READS)) {
    const things = (await ask(read as Read))[list];
    if (!Array.isArray(things) || things.length !== found) throw new Error(`${size} ${read}: not ${found} ${list}`);
  }

/** Microseconds a read takes. */
async function time({ size, read, times }: { size: Size; read: Read; times: number }): Promise<number> {
  globalThis.gc?.();
  const started = performance.now();
  for (let n = 0; n < times; n += 1) await hubs[size](read);
  return ((performance.now() - started) * 1000) / times;
}

answerBench({}, { read: time });
