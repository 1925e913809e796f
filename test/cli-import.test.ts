/** Taking over what another program has. */
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { Ground } from "../src/testing/process.ts";

/** As Atlas makes it. */
const SCHEMA = `
  create table messages (id integer primary key autoincrement, channel text not null, sender text, content text not null,
    status text not null default 'pending', response_summary text, created_at text not null default (datetime('now')),
    processed_at text);
  create index idx_messages on messages (status, created_at);
  create table task_awaits (id integer primary key autoincrement, task_id integer, trigger_name text, session_key text,
    created_at text);
  create table trigger_sessions (id integer primary key autoincrement, trigger_name text, session_key text,
    session_id text, updated_at text, unique (trigger_name, session_key));
  create table triggers (id integer primary key autoincrement, name text unique, type text, description text,
    channel text, schedule text, webhook_secret text, prompt text, session_mode text, enabled integer, last_run text,
    run_count integer, created_at text);`;

const ROWS = `
  insert into messages (channel, sender, content, status, response_summary, created_at, processed_at) values
    ('signal', '+49123', 'remind me', 'done', 'You are reminded.', '2026-02-01 10:00:00', '2026-02-01 10:05:00'),
    ('task', 'trigger:gmail', 'answer it', 'pending', null, '2026-02-02T10:00:00.000Z', null),
    ('web', null, 'half done', 'processing', null, '2026-02-03 10:00:00', null),
    ('internal', null, 'never mind', 'cancelled', 'Cancelled', '2026-02-04 10:00:00', '2026-02-04 11:00:00'),
    ('No Channel', null, 'odd', 'pending', null, '2026-02-05 10:00:00', null),
    ('web', null, 'odd', 'stuck', null, '2026-02-05 10:00:00', null),
    ('web', null, 'odd', 'done', null, 'yesterday', null);
  insert into task_awaits (task_id, trigger_name, session_key) values (2, 'gmail', 'thread-7'), (1, 'gmail', '_default');
  insert into trigger_sessions (trigger_name, session_key, session_id) values ('gmail', 'thread-7', 'abc');
  insert into triggers (name, type, channel, schedule, webhook_secret, prompt, session_mode, enabled,
    last_run, run_count) values
    ('gmail', 'webhook', 'email', null, 'hunter2-hunter2-hunter2', 'Mail: {{payload}}', 'persistent', 1,
      '2026-02-05 09:00:00', 12),
    ('nightly', 'cron', 'internal', '0 3 * * *', null, 'Check.', 'ephemeral', 0, null, 0),
    ('broken', 'cron', 'internal', '99 99 * * *', null, 'Check.', 'ephemeral', 1, null, 3);`;

test("import atlas takes tasks and triggers with a report, changes nothing when repeated, and takes what came since", async () => {
  await using ground = new Ground({ in_process: true });
  await ground.host();
  const file = join(ground.folder, "atlas.db");
  using database = new DatabaseSync(file);
  database.exec(`pragma journal_mode = wal; ${SCHEMA} ${ROWS}`);
  const first = await ground.json<{ left: { what: string; name: string; reason: string }[] }>([
    "import",
    "atlas",
    file,
  ]);
  expect(first).toMatchObject({
    taken: { triggers: 2, pending: 1, processing: 1, done: 1, cancelled: 1, awaits: 1 },
    known: { tasks: 0, triggers: 0 },
  });
  expect(first.left[0]?.reason).toBe("12 runs, the last at 2026-02-05T09:00:00.000Z: they are counted anew here");
  expect(first.left.map(({ what, name }) => [what, name])).toEqual([
    ["runs", "gmail"],
    ["trigger", "broken"],
    ["message", "5"],
    ["message", "6"],
    ["message", "7"],
    ["await", "gmail"],
    ["session", "gmail thread-7"],
  ]);

  const look = async () => ({
    stats: await ground.json<object>(["task", "stats"]),
    tasks: await Promise.all(
      ["pending", "done", "cancelled"].map((status) =>
        ground.json<{ tasks: object[] }>(["task", "list", "--status", status]),
      ),
    ),
    triggers: await ground.json<object>(["trigger", "list"]),
  });
  const {
    stats: { oldest_pending_seconds: _, ...stats },
    ...after
  } = (await look()) as { stats: Record<string, unknown> };
  expect(stats).toMatchObject({ total: 4, by_status: { pending: 2, processing: 0, done: 1, cancelled: 1 } });
  expect(after).toMatchObject({
    tasks: [
      {
        tasks: [
          { content: "answer it", sender: "trigger:gmail", channel: "task", created_at: "2026-02-02T10:00:00.000Z" },
          { content: "half done", sender: null, status: "pending" },
        ],
      },
      {
        tasks: [
          { content: "remind me", response_summary: "You are reminded.", processed_at: "2026-02-01T10:05:00.000Z" },
        ],
      },
      { tasks: [{ content: "never mind", response_summary: "Cancelled" }] },
    ],
    triggers: {
      triggers: [
        { name: "gmail", session_mode: "persistent" },
        { name: "nightly", enabled: false },
      ],
    },
  });

  const again = await ground.json(["import", "atlas", file]);
  expect(again).toMatchObject({ taken: {}, known: { tasks: 4, triggers: 2 } });
  const {
    stats: { oldest_pending_seconds: __, ...same },
    ...unchanged
  } = (await look()) as { stats: Record<string, unknown> };
  expect([same, unchanged]).toEqual([stats, after]);

  database.exec("insert into messages (channel, content) values ('web', 'new')");
  const { stdout } = await ground.parley(["import", "atlas", file, "--format", "text"]);
  expect(stdout).toMatch(
    /^Taken:\n {2}1 pending task\nKnown already, and left as they are: 4 tasks, 2 triggers\.\nNot taken:\n {2}what +name +reason\n {2}trigger +broken +Invalid cron/,
  );

  // A worker takes it, and the trigger that waited there is owed its end.
  await ground.json(["task", "next"]);
  await ground.json([
    "task",
    "done",
    (await ground.json<{ tasks: { id: string }[] }>(["task", "list", "--status", "processing"])).tasks[0]?.id ?? "",
    "Answered.",
  ]);
  expect(await ground.json(["task", "wakes"])).toMatchObject({
    wakes: [{ trigger_name: "gmail", session_key: "thread-7" }],
  });
});

test("import atlas leaves nothing beside the file that it reads, by whichever name it comes", async () => {
  await using ground = new Ground({ in_process: true });
  await ground.host();
  for (const mode of ["wal", "delete"]) {
    const folder = join(ground.folder, `${mode} of 100% #1?`);
    mkdirSync(folder);
    const file = join(folder, "atlas.db");
    using database = new DatabaseSync(file);
    database.exec(`pragma journal_mode = ${mode}; ${SCHEMA} ${ROWS}`);
    database.close();
    const link = join(ground.folder, `${mode}.db`);
    symlinkSync(file, link);
    const bytes = readFileSync(file);
    for (const path of [file, link])
      expect(await ground.json(["import", "atlas", path])).toMatchObject({
        file: path,
        left: expect.arrayContaining([expect.objectContaining({ what: "message", name: "7" })]),
      });
    expect([mode, readdirSync(folder)]).toEqual([mode, ["atlas.db"]]);
    expect(readFileSync(file).equals(bytes)).toBe(true);
  }
});

test("import atlas takes all that can be taken, whatever else the file holds, and names what was left with the reason", async () => {
  await using ground = new Ground({ in_process: true });
  await ground.host();
  const file = join(ground.folder, "atlas.db");
  using database = new DatabaseSync(file);
  database.exec(SCHEMA);
  const message = database.prepare(
    "insert into messages (channel, sender, content, status, response_summary) values ('web', ?, ?, ?, ?)",
  );
  const waits = database.prepare("insert into task_awaits (task_id, trigger_name, session_key) values (?, ?, ?)");
  message.run(null, "first", "pending", null);
  message.run(null, "a\0b", "pending", null);
  message.run(null, "much came of it", "done", "x".repeat(5_000_000));
  message.run(`${"x".repeat(199)}😀`, "from a long name", "pending", null);
  message.run(null, "\u0001".repeat(1_000_000), "pending", null);
  message.run(null, "waited for", "pending", null);
  message.run(null, "waited for by many", "pending", null);
  message.run(null, "last", "pending", null);
  waits.run(2, "gmail", null);
  waits.run(6, "gmail", "k".repeat(201));
  for (let n = 0; n < 101; n += 1) waits.run(7, "gmail", String(n));
  waits.run(8, "gmail", "thread-8");
  const taken = { pending: 3, awaits: 1 };
  const left = [
    ["message", "2", /NUL/],
    ["message", "3", /at most \d+ bytes/],
    ["message", "5", /at most \d+ bytes/],
    ["message", "6", /200 characters/],
    ["message", "7", /100/],
    ["await", "gmail", /message 2 was not taken/],
  ] as const;
  for (const known of [0, 3]) {
    const report = await ground.json<{ left: { what: string; name: string; reason: string }[] }>([
      ...["import", "atlas", file],
    ]);
    expect(report).toMatchObject({ taken: known === 0 ? taken : {}, known: { tasks: known } });
    for (const [what, name, reason] of left)
      expect(report.left).toContainEqual({ what, name, reason: expect.stringMatching(reason) });
    expect(report.left.filter(({ what }) => what === "message")).toHaveLength(5);
  }
  const { tasks } = await ground.json<{ tasks: { content: string; sender: string | null }[] }>(["task", "list"]);
  expect(tasks.map(({ content }) => content)).toEqual(["first", "from a long name", "last"]);
  expect(tasks[1]?.sender).toBe("x".repeat(199));
});

test("import atlas says what is the matter with a file that is damaged or foreign, and changes nothing", async () => {
  await using ground = new Ground({ in_process: true });
  await ground.host();
  const file = join(ground.folder, "atlas.db");
  const said = async () => {
    const { code, stderr } = await ground.parley(["import", "atlas", file, "--format", "text"]);
    return `${code} ${stderr.trim()}`;
  };
  expect(await said()).toBe(`4 parley: There is no file ${file}.`);
  mkdirSync(file);
  expect(await said()).toBe(`2 parley: ${file} is not a database of Atlas: it is no file. Nothing was changed.`);
  rmSync(file, { recursive: true });
  writeFileSync(
    file,
    "It is only a letter, and quite a long one, so that nobody takes it for an empty database.".repeat(20),
  );
  expect(await said()).toBe(
    `2 parley: ${file} is not a database of Atlas: it is not an SQLite database. Nothing was changed.`,
  );
  writeFileSync(file, "");
  expect(await said()).toBe(
    `2 parley: ${file} is not a database of Atlas: it has no table messages. Nothing was changed.`,
  );
  using foreign = new DatabaseSync(file);
  foreign.exec("create table messages (id integer primary key, body text)");
  expect(await said()).toMatch(/is not a database of Atlas: its table messages has no channel, sender, content, /);
  foreign.exec(`drop table messages; ${SCHEMA} ${ROWS}`);
  for (let count = 0; count < 10; count += 1)
    foreign.exec(
      "insert into messages (channel, content, created_at) select channel, content || hex(randomblob(200)), created_at from messages where id < 40",
    );
  foreign.close();
  const bytes = readFileSync(file);
  bytes.fill(0xff, 8192, bytes.length - 4096);
  writeFileSync(file, bytes);
  expect(await said()).toMatch(/^2 parley: .* is damaged: .*\. Nothing was changed\.$/);
  expect(await ground.json(["task", "stats"])).toMatchObject({ total: 0 });
  expect(await ground.json(["trigger", "list"])).toEqual(expect.objectContaining({ triggers: [] }));
});
