/**
 * Which servers an agent that is run here has: those of `.mcp.json` in the working folder, if a person has trusted exactly
 * this file, then those of each `--mcp-config`; of two with one name the later one counts.
 */
import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { watchFiles } from "../../local/file-watch.ts";
import { ifThere, readIfThere, replaceFile, sha256 } from "../../local/files.ts";
import { ConfigError, parseServers, type ServerSpec } from "../../runtime/index.ts";
import { visible } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { invalid } from "../core/failure.ts";
import { readJson } from "../core/io.ts";

export const folderConfig = (): string => resolve(".mcp.json");

/** What is wrong is told as an argument's fault, by the file's name. */
export function serversFor(cli: Cli, files: readonly string[]): Map<string, ServerSpec> {
  const own = folderConfig();
  const text = readIfThere(own);
  const known = text !== undefined && isTrusted(cli, own, text) ? parse(own, text) : new Map<string, ServerSpec>();
  if (text !== undefined && !isTrusted(cli, own, text))
    void cli.out.tell(`${visible(own)} is not used. Look at it, then: ${cli.line("trust")}`);
  for (const file of files) for (const [name, spec] of parse(file, readNamed(file))) known.set(name, spec);
  return known;
}

function readNamed(file: string): string {
  const text = readIfThere(file);
  if (text === undefined) throw invalid(`There is no file ${visible(file)}.`);
  return text;
}

export function parse(file: string, text: string): Map<string, ServerSpec> {
  try {
    return parseServers(text);
  } catch (cause) {
    if (cause instanceof ConfigError) throw invalid(`${visible(file)}: ${visible(cause.message)}`, { cause });
    throw cause;
  }
}

/** Tells when one of them may have become another. Returns the way to stop. */
export const watchConfig = (files: readonly string[], changed: () => void): (() => void) =>
  watchFiles([folderConfig(), ...files.map((file) => resolve(file))], changed);

/** Of this file as it is, byte for byte: a changed one is looked at anew. */
const isTrusted = (cli: Cli, file: string, text: string): boolean => trusted(cli).get(placeOf(file)) === sha256(text);

/** With `text` undefined it is trusted no more. */
export function saveTrust(cli: Cli, file: string, text: string | undefined): void {
  const all = trusted(cli);
  if (text === undefined) all.delete(placeOf(file));
  else all.set(placeOf(file), sha256(text));
  replaceFile(fileIn(cli), `${JSON.stringify([...all], undefined, 2)}\n`);
}

const fileIn = (cli: Cli): string => join(cli.home.path, "trusted.json");

const placeOf = (file: string): string => ifThere(() => realpathSync(file)) ?? resolve(file);

/** One that cannot be read trusts nothing. */
function trusted(cli: Cli): Map<string, string> {
  const entries = readJson(fileIn(cli));
  return new Map(Array.isArray(entries) ? entries.filter(isEntry) : []);
}

const isEntry = (entry: unknown): entry is [string, string] =>
  Array.isArray(entry) && entry.length === 2 && entry.every((part) => typeof part === "string");
