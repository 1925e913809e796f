/**
 * A module as small as it can be and still use everything the centre offers: a table, two tools, a reaction, a due row,
 * a route, a resource, a topic and commands made of its definitions. `sample-module.test.ts` shows that they work, and
 * CONTRIBUTING.md what such a module touches outside its folder.
 */
import { READERS, WRITERS } from "../../context.ts";
import type { Module } from "../../module.ts";
import { defineResource } from "../../resource.ts";
import { defineTool } from "../../tool.ts";
import { Add, Bookmark, BookmarkList, List } from "./schema.ts";
import * as service from "./service.ts";

export const bookmarks = {
  name: "bookmarks",
  servers: [],
  tools: [
    defineTool({
      name: "bookmark_add",
      title: "Keep a bookmark",
      description: "Keeps something to find again, by its tag.",
      roles: WRITERS,
      writes: true,
      commands: [
        {
          name: "bookmark add",
          summary: "keep something to find again",
          examples: ["bookmark add 'The plan' --tag work"],
          words: { title: "what to find again" },
          says: "Kept {title} as {tag}.",
          id: "id",
        },
      ],
      input: Add,
      output: Bookmark,
      run: service.add,
    }),
    defineTool({
      name: "bookmark_list",
      title: "List bookmarks",
      description: "Lists the newest bookmarks of a tag, and how many there are.",
      roles: READERS,
      commands: [
        {
          name: "bookmark list",
          summary: "list what was kept",
          examples: ["bookmark list work"],
          words: { tag: "what it is about" },
          rows: { list: "bookmarks", columns: ["id", "title"], none: "Nothing was kept." },
          id: "id",
        },
      ],
      input: List,
      output: BookmarkList,
      run: service.list,
    }),
  ],
  routes: [{ method: "GET", path: "/api/bookmarks/:tag", summary: "List bookmarks", tool: "bookmark_list" }],
  resources: [
    defineResource({
      name: "bookmarks",
      title: "Bookmarks",
      description: "The newest bookmarks of a tag.",
      uri: "parley://bookmarks/{tag}",
      mime: "application/json",
      roles: READERS,
      facets: [],
      read: (ctx, { tag = "" }) => service.list(ctx, { tag }),
      watch: async (_ctx, { tag = "" }) => ({ places: [{ topic: service.TOPIC, stream: tag }] }),
    }),
  ],
  topics: [{ name: service.TOPIC, given_by: [], streams: async () => null }],
  with: { "bookmark.added": service.count },
  due: { [service.REMIND]: service.remind },
  tables: ["bookmarks", "bookmark_counts"],
} satisfies Module;
