import { z } from "zod";
import { Id } from "../../../ids.ts";

export const MOST_NOTE_BYTES = 64 * 1024;
const MOST_TAGS = 20;
const MOST_LINKS = 20;

const Tag = z
  .string()
  .min(1)
  .max(50)
  .refine((tag) => tag === tag.trim() && !/\p{Cc}/u.test(tag), "a tag is 1 to 50 characters of one line");

const LINK_KINDS = ["mail", "message", "url"] as const;
/** Written in one piece, as at the command line: `mail:ID`, `message:ID` or an address. */
const ShortLink = z
  .string()
  .max(2010)
  .transform((text) => {
    const [, kind, ref] = /^(mail|message):(.*)$/s.exec(text) ?? [];
    return kind === undefined ? { kind: "url", ref: text } : { kind, ref };
  });
const Link = z
  .union([z.strictObject({ kind: z.enum(LINK_KINDS), ref: z.string().max(2000) }), ShortLink])
  .pipe(z.object({ kind: z.enum(LINK_KINDS), ref: z.string() }))
  .refine(fits, "a link is mail:ID, message:ID or an http address");

function fits({ kind, ref }: { kind: (typeof LINK_KINDS)[number]; ref: string }): boolean {
  return kind === "url" ? /^https?:\/\//i.test(ref) && URL.canParse(ref) : Id.safeParse(ref).success;
}

export const AddNote = z.strictObject({
  content: z
    .string()
    .refine((text) => text.trim() !== "", "the content is empty")
    .describe("One finding, fact or address."),
  tags: z.array(Tag).max(MOST_TAGS).default([]).describe("What it is about."),
  links: z.array(Link).max(MOST_LINKS).default([]).describe("What it comes from: mail:ID, message:ID or an address."),
});
export type AddNote = z.infer<typeof AddNote>;

export const Note = z.object({
  id: Id,
  content: z.string().describe("As its author wrote it."),
  tags: z.array(z.string()),
  author: z.string(),
  timestamp: z.iso.datetime(),
  links: z.array(z.object({ kind: z.enum(LINK_KINDS), ref: z.string() })),
});
export type Note = z.infer<typeof Note>;

export const AddedNote = Note.omit({ content: true });
export type AddedNote = z.infer<typeof AddedNote>;

export const ReadNotes = z.strictObject({
  query: z.string().max(1000).optional().describe("A text in it, whatever its case."),
  tag: Tag.optional().describe("Only with exactly this tag."),
  words: z.string().max(1000).optional().describe('Words in it, in any order; "phrases" too.'),
  newest: z.literal(true).optional().describe("The newest of all, in place of a search or a page."),
  limit: z.int().min(1).max(500).default(200).describe("How many at most."),
  after_id: Id.optional().describe("The last_id of the page before."),
});
export type ReadNotes = z.infer<typeof ReadNotes>;

export const NoteList = z.object({
  count: z.int().describe("How many are on this page."),
  notes: z.array(Note),
  has_more: z.boolean(),
  last_id: Id.nullable().describe("Go on after it while has_more."),
});
export type NoteList = z.infer<typeof NoteList>;

export const NewestNotes = NoteList.pick({ notes: true, has_more: true });
export type NewestNotes = z.infer<typeof NewestNotes>;

export const ListTags = z.strictObject({
  limit: z.int().min(1).max(1000).default(100).describe("How many at most."),
});
export type ListTags = z.infer<typeof ListTags>;
export const TagList = z.object({ tags: z.array(z.object({ tag: z.string(), notes: z.int() })) });
export type TagList = z.infer<typeof TagList>;
