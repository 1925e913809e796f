/** A hub in this process, on each database, for tests of behaviour. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe } from "vitest";
import { type RunningHub, startHub } from "../app.ts";
import { type Config, readConfig } from "../config.ts";
import type { Actor, Ctx, Role } from "../context.ts";
import type { Migration } from "../db/migrations/index.ts";
import type { Module } from "../module.ts";
import { MODULES } from "../modules/index.ts";
import { type DatabaseName, testDatabases } from "./databases.ts";
import { createDatabase } from "./postgres.ts";
import { borrowDatabase } from "./postgres-loans.ts";
import { copyTemplate } from "./sqlite-template.ts";

export interface HubOptions {
  config?: Partial<Config>;
  /** Starts at this time and moves only by `tick`. Without it the clock is real. */
  now?: number;
  /** Beside those there are. */
  modules?: readonly Module[];
  /** Behind those there are. */
  migrations?: readonly Migration[];
  /** A second node on the same PostgreSQL, or a restart on the same data. */
  same?: TestHub;
}

export type Open = (options?: HubOptions) => Promise<TestHub>;

/** Runs the same tests on every database we support. */
export function eachDatabase(tests: (open: Open, database: DatabaseName) => void): void {
  for (const name of testDatabases()) onDatabase(name, tests);
}

/** For what only one of them has, such as several nodes. */
export function onDatabase(name: DatabaseName, tests: (open: Open, database: DatabaseName) => void): void {
  if (!testDatabases().includes(name)) return;
  describe(name, () => {
    const cleanups: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    });
    tests((options) => TestHub.open(name, options ?? {}, (cleanup) => void cleanups.push(cleanup)), name);
  });
}

interface Answer {
  status: number;
  headers: Headers;
  // Each test says what it expects of it.
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it asserts
  body: any;
}

interface FakeClock {
  now: number;
  passed: number;
}

export class TestHub {
  readonly #running: RunningHub;
  readonly #clock: FakeClock | undefined;
  readonly database_url: string | undefined;
  readonly admin: string;

  static async open(
    database: DatabaseName,
    { config, now, same, modules = [], migrations = [] }: HubOptions,
    cleanup: (dispose: () => Promise<unknown>) => void,
  ): Promise<TestHub> {
    // One with tables of the test's own is nobody else's afterwards.
    const take = migrations.length > 0 ? createDatabase : borrowDatabase;
    const fresh = same?.database_url === undefined && database === "postgres" ? await take() : undefined;
    if (fresh) cleanup(fresh.drop);
    const database_url = same?.database_url ?? fresh?.url;
    // A second node of PostgreSQL has a folder of its own; a restart of SQLite needs the same one.
    const home = same && !database_url ? same.home : mkdtempSync(join(tmpdir(), "parley-test-"));
    cleanup(async () => rmSync(home, { recursive: true, force: true }));
    if (database === "sqlite" && !same) copyTemplate(home);
    const clock = now === undefined ? (same ? same.#clock : undefined) : { now, passed: 0 };
    const settings = {
      ...readConfig({ home, port: 0 }, {}),
      database_url,
      log_level: "silent" as const,
      web: join(home, "no-web"),
      ...config,
    };
    const running = await startHub(settings, {
      ...(clock && { now: () => clock.now, passed: () => clock.passed }),
      modules: [...MODULES, ...modules],
      migrations,
    });
    cleanup(() => running.stop());
    return new TestHub(running, clock, database_url);
  }

  private constructor(running: RunningHub, clock: FakeClock | undefined, database_url: string | undefined) {
    this.#running = running;
    this.#clock = clock;
    this.database_url = database_url;
    this.admin = readFileSync(join(running.home, "admin.token"), "utf8").trim();
  }

  get hub(): RunningHub["hub"] {
    return this.#running.hub;
  }

  get url(): string {
    return this.#running.url;
  }

  get home(): string {
    return this.#running.home;
  }

  stop(): Promise<void> {
    return this.#running.stop();
  }

  get failed(): Promise<Error> {
    return this.#running.failed;
  }

  /** Lets time pass and does what became due. */
  async tick(ms: number): Promise<void> {
    if (this.#clock) this.#clock.passed += ms;
    await this.setClock(ms);
  }

  /** Somebody sets the clock ahead or back by so much, while no time passes, and what became due is done. */
  async setClock(ms: number): Promise<void> {
    if (!this.#clock) throw new Error("this hub's clock is real: open it with `now`");
    this.#clock.now += ms;
    // The first may have begun before the time had passed.
    await this.#running.sweep();
    await this.#running.sweep();
  }

  /** Makes the token of a named person or agent. */
  async token(role: Role, name: string, space?: string): Promise<string> {
    const { body } = await this.call(this.admin, "token_create", { role, name, ...(space && { space }) });
    if (!body.token) throw new Error(`no token for ${name}: ${JSON.stringify(body)}`);
    return body.token;
  }

  /** What a service is called with, for that token. */
  async as(token: string, space_id?: string): Promise<Ctx> {
    return this.hub.ctx(await this.actor(token, space_id));
  }

  actor(token: string, space_id?: string): Promise<Actor> {
    return this.hub.credentials.authenticate({ token, space_id, caller_agent: undefined });
  }

  /** Calls a tool over HTTP. */
  call(
    token: string | undefined,
    tool: string,
    args: unknown = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.request("POST", `/api/tools/${tool}`, { token, body: JSON.stringify(args), headers });
  }

  /** Answers a notice as it says now, or as it is told. */
  async settle(
    token: string | undefined,
    { digest, ...answer }: { id: string; choice?: string; digest?: string },
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const { body } = await this.call(token, "notice_list", { limit: 100 });
    const known = body.notices?.find(({ id }: { id: string }) => id === answer.id)?.digest;
    return this.call(token, "notice_settle", { ...answer, digest: digest ?? known ?? "" }, headers);
  }

  async request(
    method: string,
    path: string,
    {
      token,
      body,
      headers = {},
    }: { token?: string | undefined; body?: string | Buffer; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }
}
