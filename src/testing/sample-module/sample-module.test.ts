import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commandsOf } from "../../../scripts/commands.ts";
import { Cli } from "../../cli/core/cli.ts";
import { parse } from "../../cli/core/parse.ts";
import { commandOf } from "../../cli/core/tool-command.ts";
import { statement } from "../../db/statement.ts";
import type { Module } from "../../module.ts";
import { CliIo } from "../cli-io.ts";
import { EventStream } from "../event-stream.ts";
import { eachDatabase, type TestHub } from "../hub.ts";
import { CLIENTS } from "../mcp.ts";
import { bookmarks } from "./index.ts";
import * as migration from "./migration.ts";

const START = Date.parse("2027-03-01T09:00:00Z");

/** Runs one of the module's commands as the program does, and gives what it prints. */
async function command(hub: TestHub, token: string, line: readonly string[]): Promise<string> {
  const name = line.slice(0, 2).join(" ");
  const made = commandsOf(bookmarks.tools).find((made) => made.name === name);
  if (!made) throw new Error(`there is no command ${name}`);
  const command = commandOf(made);
  const io = new CliIo({ PARLEY_TOKEN: token });
  const { common, typed, given } = parse(command, [...line.slice(2), "--url", hub.url, "--format", "text"], {});
  await command.run(new Cli({ io, words: line, common, typed, textByDefault: false }), given as never);
  return io.stdout.trimEnd();
}

eachDatabase((open) => {
  const openHub = (module: Module = bookmarks) => open({ modules: [module], migrations: [migration], now: START });

  test("a module's tool is served at every door: HTTP, its own address, MCP and the command line", async () => {
    const hub = await openHub();
    const ana = await hub.token("human", "ana");
    const { body: kept } = await hub.call(ana, "bookmark_add", { title: "The plan", tag: "work" });
    const listed = { tag: "work", count: 1, bookmarks: [{ id: kept.id, title: "The plan", tag: "work" }] };
    expect((await hub.request("GET", "/api/bookmarks/work", { token: ana })).body).toEqual(listed);
    expect((await hub.request("GET", "/api/bookmarks/Work", { token: ana })).body.code).toBe("INVALID_ARGUMENT");
    expect((await hub.request("GET", "/openapi.json")).body.paths).toHaveProperty("/api/bookmarks/{tag}");
    for (const connect of Object.values(CLIENTS)) {
      await using client = await connect({ url: hub.url, token: ana });
      expect(await client.call("bookmark_list", { tag: "work" })).toMatchObject({ structuredContent: listed });
      expect((await client.read("parley://bookmarks/work")).body).toEqual(listed);
    }
    expect(await command(hub, ana, ["bookmark", "add", "Tea", "--tag", "home"])).toBe("Kept Tea as home.");
    expect(await command(hub, ana, ["bookmark", "list", "home"])).toMatch(/^id +title\n\d+ +Tea$/);
    expect(await command(hub, ana, ["bookmark", "list", "none"])).toBe("Nothing was kept.");
  });

  test("its reaction happens with what it reacts to, or neither does", async () => {
    let broken = false;
    const hub = await openHub({
      ...bookmarks,
      with: {
        "bookmark.added": (ctx, event) => {
          if (broken) throw new Error("it cannot count");
          return bookmarks.with["bookmark.added"](ctx, event);
        },
      },
    });
    const ana = await hub.token("human", "ana");
    const add = (title: string) => hub.call(ana, "bookmark_add", { title, tag: "work" });
    await Promise.all(["a", "b", "c"].map(add));
    expect((await hub.call(ana, "bookmark_list", { tag: "work" })).body.count).toBe(3);
    broken = true;
    expect((await add("d")).status).toBe(500);
    const after = (await hub.call(ana, "bookmark_list", { tag: "work" })).body;
    expect([after.count, after.bookmarks.length]).toEqual([3, 3]);
  });

  test("what it planned comes when it is due, once, and followers hear of it", async () => {
    const hub = await openHub();
    const ana = await hub.token("human", "ana");
    using stream = await EventStream.open(hub.url, { token: ana, topics: "bookmarks" });
    await hub.call(ana, "bookmark_add", { title: "Tea", tag: "home", remind_seconds: 60 });
    await hub.tick(59_000);
    await hub.tick(2000);
    await hub.tick(60_000);
    await expect
      .poll(() => stream.events.filter(({ event }) => event === "bookmarks").map(({ data }) => data))
      .toMatchObject([
        { type: "bookmark.added", title: "Tea", tag: "home" },
        { type: "bookmark.reminded", payload: { why: "asked for" } },
      ]);
  });

  test("nothing of it stays in a space that has ended", async () => {
    const hub = await openHub();
    const { body } = await hub.call(hub.admin, "space_create", { id: "sess_sample" });
    const inside = { "x-session-id": body.space };
    await hub.call(hub.admin, "bookmark_add", { title: "Tea", tag: "home" }, inside);
    await hub.call(hub.admin, "space_delete", { id: body.space });
    await hub.tick(60_000);
    for (const table of bookmarks.tables) {
      const left = statement<{ space_id: string }>(`select 1 from ${table} where space_id = :space_id`);
      expect(await hub.hub.database.all(left, { space_id: body.space })).toEqual([]);
    }
  });
});

test("outside of a module's folder there is one migration and one line for it", () => {
  const touched = globSync("src/**/*.ts").filter((path) => {
    const own = path.startsWith("src/testing/sample-module/");
    return !own && /\bbookmark/.test(readFileSync(path, "utf8"));
  });
  expect(touched).toEqual([]);
});
