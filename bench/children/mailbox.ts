/** Two hubs in this process, with mailboxes of a thousand and of a hundred thousand mails, to be listed from the top. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CONTENT } from "../support/wire.ts";
import { answerBench, folder } from "./answering.ts";
import { startBenchHub } from "./bench-hub.ts";

const PAGE = 20;
const SIZES = { few: 1000, many: Number(process.env.BENCH_MANY) };
type Size = keyof typeof SIZES;

/** In `heron`'s nothing was ever read. In `otter`'s one of ten is unread, the others read, archived or thrown away. */
const KINDS = {
  heron: { read_at: "null", state: "'inbox'", place: "'new'" },
  otter: {
    read_at: "case when n % 10 = 0 then null else '2026-01-01T00:00:00.000Z' end",
    state: "case when n % 10 < 6 then 'inbox' when n % 10 < 9 then 'archived' else 'trash' end",
    place:
      "case when n % 10 = 0 then 'new' when n % 10 < 6 then 'read' when n % 10 < 9 then 'archived' else 'trash' end",
  },
};
type Name = keyof typeof KINDS;

type List = () => Promise<{ messages: unknown[]; unread: number }>;

async function fill(size: Size): Promise<Record<Name, List>> {
  const home = join(folder, size);
  const empty = await startBenchHub(home);
  const sender = await empty.actor(await empty.token("human", "ana"));
  const tokens = { heron: await empty.token("agent", "heron"), otter: await empty.token("agent", "otter") };
  const holders = { heron: await empty.actor(tokens.heron), otter: await empty.actor(tokens.otter) };
  await empty.running.stop();
  for (const [at, name] of (["heron", "otter"] as const).entries())
    insert(join(home, "parley.db"), {
      count: SIZES[size],
      sender_id: sender.principal_id,
      principal_id: holders[name].principal_id,
      name,
      // Before everything that is there already, so that the space's counter stays where it is.
      start: Date.now() * 1000 - (at + 1) * 1e9,
    });
  const { actor, call } = await startBenchHub(home);
  const reader = { heron: await actor(tokens.heron), otter: await actor(tokens.otter) };
  // What the tool answers.
  const list =
    (name: Name): List =>
    () =>
      call(reader[name], "mail_inbox", { limit: PAGE }) as ReturnType<List>;
  return { heron: list("heron"), otter: list("otter") };
}

interface Mails {
  count: number;
  sender_id: string;
  principal_id: string;
  name: Name;
  start: number;
}

/** All in one statement a table; a copy's id follows its mail's. */
function insert(file: string, { count, sender_id, principal_id, name, start }: Mails): void {
  const database = new DatabaseSync(file, { timeout: 5000 });
  const numbers = "with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?1)";
  database.exec("pragma synchronous = off; begin immediate");
  database
    .prepare(
      `${numbers} insert into mails (space_id, id, thread_id, sender_id, recipients, participants, subject, preview,
       priority, bytes, body)
       select 'main', ?2 + 2 * n, ?2 + 2 * n, ?3, ?4, ?5, 'Mail ' || n, ?6, 'normal', length(?6), ?6 from numbers`,
    )
    .run(count, start, sender_id, JSON.stringify([name]), JSON.stringify(["ana", name]), CONTENT);
  const { read_at, state, place } = KINDS[name];
  database
    .prepare(
      `${numbers} insert into mail_recipients (space_id, id, mail_id, principal_id, position, priority, state, offered,
       read_at, place)
       select 'main', ?2 + 2 * n + 1, ?2 + 2 * n, ?3, ?2 + 2 * n + 1, 'normal', ${state}, 0, ${read_at}, ${place} from numbers`,
    )
    .run(count, start, principal_id);
  database.exec("commit; pragma wal_checkpoint(truncate)");
  database.close();
}

/** Microseconds a list takes. */
async function time(list: List, times: number): Promise<number> {
  globalThis.gc?.();
  const started = performance.now();
  for (let n = 0; n < times; n += 1) await list();
  return ((performance.now() - started) * 1000) / times;
}

const lists = { few: await fill("few"), many: await fill("many") };
for (const { heron, otter } of Object.values(lists))
  for (const list of [heron, otter]) {
    const { messages, unread } = await list();
    if (messages.length !== PAGE || unread < 100) throw new Error(`${messages.length} mails, ${unread} of them unread`);
  }
answerBench(
  {},
  { list: ({ size, name, times }: { size: Size; name: Name; times: number }) => time(lists[size][name], times) },
);
