/** A PostgreSQL whose one database lies on a small disk. It runs inside that disk's world, hence as a program of its own. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import pg from "pg";
import { startPostgres } from "./postgres.ts";
import type { SmallDisk } from "./small-disk.ts";

export class SmallPostgres implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;

  static async on(disk: SmallDisk): Promise<SmallPostgres> {
    const [command = "", ...args] = [...disk.inside, process.execPath, import.meta.filename, disk.folder];
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    for await (const line of createInterface({ input: child.stdout })) return new SmallPostgres(child, line);
    throw new Error("PostgreSQL could not be started on a small disk");
  }

  private constructor(child: ChildProcessByStdio<Writable, Readable, null>, url: string) {
    this.#child = child;
    this.url = url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin.end();
    if (this.#child.exitCode === null) await once(this.#child, "exit");
  }
}

/** Serves until its input ends. */
async function serve(folder: string): Promise<void> {
  await using server = await startPostgres();
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const { rows } = await client.query("show data_directory");
  const { uid, gid } = statSync(rows[0].data_directory);
  const place = join(folder, "tablespace");
  mkdirSync(place);
  chownSync(place, uid, gid);
  await client.query(`create tablespace small location '${place}'`);
  await client.query("create database parley tablespace small");
  await client.end();
  const url = new URL(server.url);
  url.pathname = "parley";
  console.log(url.href);
  await once(process.stdin.resume(), "end");
}

if (process.argv[1] === import.meta.filename) await serve(process.argv[2] ?? "");
