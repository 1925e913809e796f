/**
 * PostgreSQL's index of words keeps each word that it ever held, also when no text has it any more, and the marks of a space
 * are its own: it grows with every space that ends. Written anew it takes what its texts need, beside the old one, so
 * that nobody waits for it.
 */
import pg from "pg";

/** Of less it is not worth the work. */
const FLOOR_BYTES = 4 * 1024 * 1024;
/** With all its pieces an index is larger than its texts. */
const TIMES_ITS_TABLE = 4;
/** Any number that nobody else takes: one node at a time. */
const LOCK = 7_201_933;
const PATIENCE_MS = 10 * 60 * 1000;

interface Index {
  name: string;
  is_valid: boolean;
  bytes: string;
  table_bytes: string;
}

const INDEXES = `select i.relname as name, x.indisvalid as is_valid, pg_relation_size(i.oid) as bytes,
  pg_table_size(x.indrelid) as table_bytes from pg_index x join pg_class i on i.oid = x.indexrelid
  join pg_am a on a.oid = i.relam where a.amname = 'gin' and i.relnamespace = to_regnamespace(current_schema())`;

/** Breaks off when it is told to, and throws then; what it began is dropped the next time. */
export async function rebuildBloated(url: string, signal: AbortSignal): Promise<void> {
  // Its own, because it takes longer than a query may.
  const client = new pg.Client({ connectionString: url, application_name: "parley", statement_timeout: PATIENCE_MS });
  // Whoever waits for an answer is told as well.
  client.on("error", () => {});
  const breakOff = (): void => void client.end();
  signal.addEventListener("abort", breakOff);
  try {
    await client.connect();
    const { rows } = await client.query<{ ours: boolean }>("select pg_try_advisory_lock($1) as ours", [LOCK]);
    if (!rows[0]?.ours) return;
    for (const index of (await client.query<Index>(INDEXES)).rows) await rebuild(client, index);
  } finally {
    signal.removeEventListener("abort", breakOff);
    await client.end();
  }
}

async function rebuild(client: pg.Client, { name, is_valid, bytes, table_bytes }: Index): Promise<void> {
  const quoted = pg.escapeIdentifier(name);
  // What was begun and cut off is of no use to anybody.
  if (!is_valid) await client.query(`drop index concurrently if exists ${quoted}`);
  else if (Number(bytes) > Math.max(FLOOR_BYTES, TIMES_ITS_TABLE * Number(table_bytes)))
    await client.query(`reindex index concurrently ${quoted}`);
}
