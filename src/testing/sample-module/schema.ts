import { z } from "zod";
import { Id } from "../../ids.ts";

const tag = z
  .string()
  .regex(/^[a-z]{1,20}$/, "a tag is 1 to 20 small letters")
  .describe("What it is about.");

export const Add = z.strictObject({
  title: z.string().min(1).max(100).describe("What to find again."),
  tag,
  remind_seconds: z.int().min(1).max(86_400).optional().describe("When to be reminded of it."),
});
export type Add = z.infer<typeof Add>;

export const Bookmark = z.object({ id: Id, title: z.string(), tag: z.string() });
export type Bookmark = z.infer<typeof Bookmark>;

export const List = z.strictObject({ tag });
export type List = z.infer<typeof List>;

export const BookmarkList = z.object({ tag: z.string(), count: z.int(), bookmarks: z.array(Bookmark) });
export type BookmarkList = z.infer<typeof BookmarkList>;
