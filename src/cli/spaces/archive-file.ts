/** The archive of a space, as the hub writes it: a gzip of lines, the first and the last of which are about the others. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { Failure, invalid } from "../core/failure.ts";
import { isThing, type Thing } from "../core/sentence.ts";

/** No row is longer; a file that is something else may have no line at all. */
const LONGEST_LINE = 32 * 1024 * 1024;

export interface ArchiveSummary {
  header: Record<string, unknown> & { space: string; ended_at: string };
  /** Of tables: those that name people and agents are not counted. */
  rows: number;
}

/** Reads all of it, to see that it is whole, before anything is done with it. */
export async function checkArchive(path: string): Promise<ArchiveSummary> {
  const digest = createHash("sha256");
  let header: ArchiveSummary["header"] | undefined;
  let ending: Record<string, unknown> | undefined;
  let lines = 0;
  let rows = 0;
  for await (const line of linesOf(path)) {
    if (ending) throw damaged(path, "there is something behind its end");
    const value = parsed(path, line);
    if (!header) header = headerOf(path, value);
    else if (value.end === true) {
      ending = value;
      continue;
    } else {
      lines += 1;
      if (value.table !== "principals") rows += 1;
    }
    digest.update(`${line}\n`);
  }
  if (!header) throw foreign(path);
  if (!ending) throw damaged(path, "its end is missing");
  if (ending.rows !== lines || ending.sha256 !== digest.digest("hex")) throw damaged(path, "it was changed");
  return { header, rows };
}

/** The lines of rows, in the order in which they are there. */
export async function* rowLinesOf(path: string): AsyncGenerator<string> {
  let first = true;
  for await (const line of linesOf(path)) {
    if (!first && !line.startsWith('{"end":')) yield line;
    first = false;
  }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    const file = createReadStream(path);
    const gunzip = createGunzip();
    // `pipe` tells nobody that there is nothing to read.
    file.on("error", (error) => gunzip.destroy(error));
    for await (const chunk of file.pipe(gunzip)) {
      rest += decoder.decode(chunk, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
      if (rest.length > LONGEST_LINE) throw foreign(path);
    }
  } catch (error) {
    throw readable(path, error);
  }
  if (rest !== "") throw damaged(path, "it breaks off");
}

function readable(path: string, error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOENT") return new Failure("NOT_FOUND", `There is no file ${path}.`, { cause: error });
  if (code === "Z_DATA_ERROR") return foreign(path, error);
  if (code.startsWith("Z_")) return damaged(path, "it breaks off", error);
  if (code === "") return error;
  return invalid(`${path} cannot be read: ${(error as Error).message}.`, { cause: error });
}

function parsed(path: string, line: string): Thing {
  try {
    const value: unknown = JSON.parse(line);
    if (isThing(value)) return value;
  } catch (cause) {
    throw damaged(path, "a line of it is no JSON", cause);
  }
  throw damaged(path, "a line of it is no row");
}

function headerOf(path: string, value: Thing): ArchiveSummary["header"] {
  const { parley_archive, space, ended_at } = value;
  if (parley_archive === undefined || typeof space !== "string" || typeof ended_at !== "string") throw foreign(path);
  if (parley_archive !== 1)
    throw invalid(`${path} was written by another Parley, in a form that this one cannot read.`);
  return { ...value, space, ended_at };
}

const foreign = (path: string, cause?: unknown): Failure =>
  invalid(`${path} is no archive of a space. Nothing was opened.`, { cause });

const damaged = (path: string, why: string, cause?: unknown): Failure =>
  invalid(`The archive ${path} is damaged: ${why}. Nothing was opened.`, { cause });
