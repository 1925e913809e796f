/** A hub on a clock that is set, in which spaces are made, used and end, so many at a time. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { startHub } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { Actor } from "../../src/context.ts";
import { statement } from "../../src/db/statement.ts";
import { CONTENT } from "../support/wire.ts";
import { answerBench, folder } from "./answering.ts";

const TTL_SECONDS = 3600;
/** Between those that end together. */
const APART_SECONDS = 10;
const AT_ONCE = 25;
const DAY_MS = 24 * 3600 * 1000;

const home = join(folder, "home");
const database_url = process.env.DATABASE_URL;
let now = Date.now();
const running = await startHub(
  { ...readConfig({ home, port: 0 }, {}), database_url, log_level: "silent", rate_limit: 1e9, rate_limit_kb: 1e9 },
  { now: () => now },
);
const { hub } = running;
const token = readFileSync(join(home, "admin.token"), "utf8").trim();
const admin = await hub.credentials.authenticate({ token, space_id: "main", caller_agent: undefined });
// As the hub itself makes them: nobody is let make so many, and whoever makes one is let into it.
const maker: Actor = { ...admin, token_id: "", roles: ["admin", "orchestrator"] };

const sizes = statement<Record<string, never>, { size: number; used: number }>(
  `select c.page_count * s.page_size as size, (c.page_count - f.freelist_count) * s.page_size as used
   from pragma_page_count() c, pragma_page_size() s, pragma_freelist_count() f`,
  "select pg_database_size(current_database()) as size, pg_database_size(current_database()) as used",
);
const open = statement<Record<string, never>, { spaces: number }>(
  "select count(*) as spaces from spaces where expires_at is not null and emptied_at is null",
);

const call = (actor: Actor, tool: string, args: object): Promise<object> =>
  hub.call(actor, hub.tools.find(tool), args, { door: "internal" });

async function use(ttl_seconds: number): Promise<void> {
  const made = await call(maker, "create_session", { ttl_seconds });
  const actor = { ...admin, space_id: "space" in made ? String(made.space) : "" };
  for (let said = 0; said < 3; said += 1) await call(actor, "chat_human_post", { content: CONTENT });
  await call(actor, "task_create", { content: CONTENT });
  await call(actor, "add_note", { content: CONTENT, tags: ["bench"] });
  await call(actor, "write_draft_section", { section_id: "findings", title: "Findings", content: CONTENT });
  await call(actor, "add_tasks", { tasks: [{ description: "Read on" }] });
  await call(actor, "need_list", {});
}

/** As PostgreSQL does by itself, a little later. */
async function vacuum(): Promise<void> {
  if (database_url === undefined) return;
  const client = new pg.Client(database_url);
  await client.connect();
  await client.query("vacuum");
  await client.end();
}

answerBench(
  {},
  {
    make: async ({ count, made }: { count: number; made: number }) => {
      const ttl = TTL_SECONDS + (made / count) * APART_SECONDS;
      for (let done = 0; done < count; done += AT_ONCE)
        await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - done) }, () => use(ttl)));
      await running.sweep();
    },
    /** Those that were made so many before. */
    end: async ({ made }: { made: number }) => {
      now += (made === 0 ? TTL_SECONDS : APART_SECONDS) * 1000 + 1;
      await running.sweep();
    },
    /** So many days later, and so what ended a little after the last look. */
    left: async ({ days, collections }: { days: number; collections: number }) => {
      now += days * DAY_MS;
      await running.sweep();
      const held = (await hub.database.get(open, {}))?.spaces;
      if (Number(held) > 0) throw new Error(`${held} spaces are not emptied`);
      await vacuum();
      for (let times = 0; times < collections; times += 1) {
        globalThis.gc?.();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const { size = 0, used = 0 } = (await hub.database.get(sizes, {})) ?? {};
      return { heap: process.memoryUsage().heapUsed, size: Number(size), used: Number(used) };
    },
  },
);
