/**
 * What an archive held, in a new space. All of it or nothing: until the last row is there the space is closed to
 * everybody, and one that is not finished within the hour is removed. Nothing goes on by itself in it: no row of `due` is
 * made but for its end, and what modules would take up they are handed as over (`Module.reopened`).
 */
import { randomUUID } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { countRows, describeTable, findName, insertRow, Line, PRINCIPALS, type Row } from "../../../archive/index.ts";
import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import type { Column, Table } from "../../../db/catalogue.ts";
import { MIGRATIONS } from "../../../db/migrations/index.ts";
import { move, plan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import { checkText } from "../../../text.ts";
import type { FillSpace, FinishSpace, OpenSpace, Space } from "../schema.ts";
import * as store from "../store.ts";
import type { SpaceRow } from "../tables.ts";
import { ARCHIVED } from "./ending.ts";
import { EMPTY, wire } from "./spaces.ts";

/** An archive whose reader went away in the middle. */
const PATIENCE_MS = 3600 * 1000;
/** A row may be some megabytes; what unpacks to more than these is no page of rows. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Runs in the hub's own space, as making one does. */
export function openArchive(ctx: Ctx, { header }: OpenSpace): Promise<Space> {
  return transact(ctx, async (ctx) => {
    if (header.schema_version > MIGRATIONS.length)
      throw unfit("It was written by a newer Parley than this. Open it there, or upgrade.");
    const created_at = new Date(ctx.now()).toISOString();
    const id = randomUUID();
    const last_id = Math.max(ctx.tx.takeId(), header.last_id);
    const { default_inbox_id } = header;
    const created_by = ctx.actor.principal_id;
    // Ended as it begins: nobody enters it, and whoever tidies up may write.
    const row = { id, last_id, default_inbox_id, created_by, created_at, expires_at: created_at };
    await store.insertSpace(ctx.tx, row);
    // They read what was theirs. An agent would act on it.
    await store.copyPeople(ctx.tx, { from_id: header.space, space_id: id, created_at });
    await plan(ctx, { kind: EMPTY, ref: 0, at: ctx.now() + PATIENCE_MS, payload: ARCHIVED, space_id: id });
    return wire(row);
  });
}

/** Runs in a transaction of that space. */
export function fillSpace(ctx: Ctx, { id, rows }: FillSpace): Promise<{ rows: number }> {
  return transact(ctx, async (ctx) => {
    await checkOpening(ctx, id);
    const lines = linesIn(rows);
    const now = new Date(ctx.now()).toISOString();
    const tables = new Map<string, Table>();
    for (const { table: name, row } of lines) {
      if (name === PRINCIPALS) {
        await checkKnown(ctx, row);
        continue;
      }
      const table = tables.get(name) ?? (await tableOf(ctx, name));
      tables.set(name, table);
      await storeRow(ctx, { table, row, now });
    }
    return { rows: lines.length };
  });
}

/** Runs in a transaction of that space. From now on it is one like any other. */
export function finishSpace(ctx: Ctx, { id, rows, ttl_seconds }: FinishSpace): Promise<Space> {
  return transact(ctx, async (ctx) => {
    const space = await checkOpening(ctx, id);
    let held = 0;
    for (const table of ctx.contents.archived) held += await countRows(ctx.tx, table, id);
    if (held !== rows) throw unfit(`${held} rows of it have come, and it has ${rows}. Open it once more.`);
    const at = ctx.now() + ttl_seconds * 1000;
    const expires_at = new Date(at).toISOString();
    await store.expireSpace(ctx.tx, { id, expires_at });
    await move(ctx, { kind: EMPTY, ref: 0, at });
    return wire({ ...space, expires_at });
  });
}

/** Where `fillSpace` and `finishSpace` run. What is no such space is refused here, whether there is one of that name or not. */
export async function openingSpace(ctx: Ctx, { id }: { id: string }): Promise<string> {
  return (await checkOpening(ctx, id)).id;
}

async function checkOpening(ctx: Ctx, id: string): Promise<SpaceRow> {
  const space = await store.findSpace(ctx.db, id);
  const isOpening = space?.created_by === ctx.actor.principal_id && space.expires_at === space.created_at;
  if (space && isOpening && space.emptied_at === null) return space;
  throw new ParleyError("SESSION_NOT_FOUND", `${id} is no space that you are opening an archive in.`);
}

function linesIn(rows: string): Line[] {
  let text: string;
  try {
    text = gunzipSync(Buffer.from(rows, "base64"), { maxOutputLength: MOST_BYTES }).toString("utf8");
  } catch (cause) {
    throw unfit("A page of it is no gzip, or too large.", cause);
  }
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const parsed = Line.safeParse(jsonOf(line));
      if (!parsed.success) throw unfit("A line of it is no row of a table.");
      checkText(parsed.data);
      return parsed.data;
    });
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw unfit("A line of it is no JSON.", cause);
  }
}

/** Rows name people and agents by ids that are one hub's. */
async function checkKnown({ tx }: TxCtx, { id, name }: Row): Promise<void> {
  if ((await findName(tx, String(id))) !== name)
    throw unfit(`It is of another hub: ${JSON.stringify(String(name).slice(0, 40))} is not known here.`);
}

async function tableOf(ctx: TxCtx, name: string): Promise<Table> {
  if (!ctx.contents.archived.includes(name))
    throw unfit(`It has a table ${JSON.stringify(name)}, which no space holds.`);
  return await describeTable(ctx.tx, name);
}

async function storeRow(ctx: TxCtx, { table, row, now }: { table: Table; row: Row; now: string }): Promise<void> {
  checkRow(table, row);
  const { row: reopen, stored } = ctx.contents.reopened.get(table.name) ?? {};
  const kept = reopen ? reopen(row, now) : row;
  await insertRow(ctx.tx, table.name, kept);
  await stored?.(ctx, kept);
}

function checkRow({ name, columns }: Table, row: Row): void {
  const known = new Map(columns.map((column) => [column.name, column]));
  const unknown = Object.keys(row).find((column) => !known.has(column));
  if (unknown !== undefined) throw unfit(`${name} has no ${JSON.stringify(unknown.slice(0, 40))} here.`);
  for (const column of columns)
    if (!fits(column, row[column.name])) throw unfit(`A row of ${name} has no ${column.name}.`);
}

function fits({ is_number, is_required }: Column, value: Row[string] | undefined): boolean {
  if (value === null || value === undefined) return !is_required;
  return is_number ? Number.isSafeInteger(value) : typeof value === "string";
}

const unfit = (why: string, cause?: unknown): ParleyError =>
  new ParleyError("INVALID_ARGUMENT", `The archive cannot be opened. ${why}`, { cause });
