import { createHash, randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Ctx } from "../context.ts";
import { makeFolder } from "../local/files.ts";
import { archiveName, type Header, type Line, PRINCIPALS } from "./format.ts";
import * as store from "./store.ts";

/** Rows that are in memory at a time: one may be a megabyte. */
const PAGE = 50;

interface Written {
  /** Where archives are kept. */
  folder: string;
  header: Header;
  tables: readonly string[];
  /** Called now and then: it takes as long as there is. */
  renew: () => Promise<void>;
}

/**
 * Writes everything that the actor's space holds to a file of its own, which has its name only once it is whole and on
 * disk. Written twice it is the same file. Throws where there is no room or no way to write it.
 */
export async function writeArchive(ctx: Ctx, { folder, header, tables, renew }: Written): Promise<string> {
  makeFolder(folder);
  const path = join(folder, archiveName(header));
  const temporary = join(folder, `.${randomBytes(9).toString("base64url")}.tmp`);
  try {
    const lines = Readable.from(textOf(header, rowsOf(ctx, tables, renew)));
    await pipeline(lines, createGzip(), createWriteStream(temporary, { flags: "wx", mode: 0o600, flush: true }));
    await rename(temporary, path);
    await flushFolder(folder);
    return path;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function* textOf(header: Header, lines: AsyncIterable<Line>): AsyncGenerator<string> {
  const digest = createHash("sha256");
  let rows = 0;
  const noted = (line: object): string => {
    const text = `${JSON.stringify(line)}\n`;
    digest.update(text);
    return text;
  };
  yield noted(header);
  for await (const line of lines) {
    rows += 1;
    yield noted(line);
  }
  yield `${JSON.stringify({ end: true, rows, sha256: digest.digest("hex") })}\n`;
}

async function* rowsOf(ctx: Ctx, tables: readonly string[], renew: () => Promise<void>): AsyncGenerator<Line> {
  const { space_id } = ctx.actor;
  for (let after = "", more = true; more; ) {
    const page = await store.listMentioned(ctx.db, { space_id, after, limit: PAGE });
    for (const row of page) yield { table: PRINCIPALS, row };
    after = page.at(-1)?.id ?? after;
    more = page.length === PAGE;
  }
  for (const name of tables) {
    const table = await store.describeTable(ctx.db, name);
    for (let after: Line["row"] | undefined, more = true; more; ) {
      const page = await store.listRows(ctx.db, table, { space_id, after, limit: PAGE });
      for (const row of page) yield { table: name, row };
      after = page.at(-1);
      more = page.length === PAGE;
      await renew();
    }
  }
}

/** That the file has its name is on disk, too. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
