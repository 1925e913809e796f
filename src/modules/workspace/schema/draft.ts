import { z } from "zod";

export const MOST_SECTION_BYTES = 512 * 1024;
export const MOST_SECTIONS = 1000;
/** Of all sections together, as they are now. */
export const MOST_DRAFT_BYTES = 8 * 1024 * 1024;
/** What no section of the draft can be called: answered questions are read under this name. */
export const RESERVED = "user_answers";

const SECTION_ID = /^[\p{L}\p{N}_]([\p{L}\p{M}\p{N} ._-]*[\p{L}\p{M}\p{N}._-])?$/u;
const SectionId = z
  .string()
  .min(1)
  .max(100)
  .refine(
    (id) => SECTION_ID.test(id) && id === id.normalize("NFC"),
    "a section is called by 1 to 100 letters, digits, spaces and . _ -",
  );
const MOST_VERSIONS = 1_000_000_000;
const Version = z.int().min(1).max(MOST_VERSIONS);

export const WriteSection = z.strictObject({
  section_id: SectionId.describe("Such as market_analysis."),
  title: z
    .string()
    .min(1)
    .max(200)
    .refine((title) => title.trim() !== "" && !/\p{Cc}/u.test(title), "a title is one line")
    .optional()
    .describe("Its heading; left out, it stays as it is."),
  content: z.string().describe("All of its text, as Markdown."),
  expected_version: z
    .int()
    .min(0)
    .max(MOST_VERSIONS)
    .optional()
    .describe("The version you began from, 0 for none; against another it is refused."),
});
export type WriteSection = z.infer<typeof WriteSection>;

const SectionFacts = z.object({
  section_id: z.string(),
  title: z.string(),
  version: z.int(),
  author: z.string().nullable().describe("Who wrote this version."),
  last_updated: z.iso.datetime().nullable(),
  place: z.int().nullable().describe("Where it stands in the draft, from 1."),
});

export const WrittenSection = SectionFacts.extend({ created: z.boolean() });
export type WrittenSection = z.infer<typeof WrittenSection>;

export const Section = SectionFacts.extend({ content: z.string() });
export type Section = z.infer<typeof Section>;

export const ReadDraft = z.strictObject({
  section_id: z.string().max(100).optional().describe("This one alone."),
  version: Version.optional().describe("As it was then; with section_id."),
  after: z.string().max(100).optional().describe("The next of the page before."),
});
export type ReadDraft = z.infer<typeof ReadDraft>;
export const Draft = z.object({
  sections: z.array(Section).describe("In the draft's order."),
  next: z.string().nullable().describe("Pass it as after for what follows; null at the end."),
});
export type Draft = z.infer<typeof Draft>;

export const ReadSection = z.strictObject({
  section_name: z.string().max(100).describe("Its section_id, or user_answers."),
});
export type ReadSection = z.infer<typeof ReadSection>;

export const SectionHistory = z.strictObject({
  section_id: z.string().max(100).describe("Of which section."),
  limit: z.int().min(1).max(100).default(20).describe("How many at most."),
  before: Version.optional().describe("Only earlier versions than this."),
});
export type SectionHistory = z.infer<typeof SectionHistory>;
export const Versions = z.object({
  section_id: z.string(),
  versions: z.array(
    SectionFacts.pick({ version: true, title: true, author: true, last_updated: true }).extend({ bytes: z.int() }),
  ),
  next: z.int().nullable(),
});
export type Versions = z.infer<typeof Versions>;

export const DiffSection = z.strictObject({
  section_id: z.string().max(100).describe("Of which section."),
  from: Version.optional().describe("The earlier version; the one before the other if left out."),
  to: Version.optional().describe("The later version; the newest if left out."),
});
export type DiffSection = z.infer<typeof DiffSection>;
export const SectionDiff = z.object({
  section_id: z.string(),
  from: z.int(),
  to: z.int(),
  added: z.int(),
  removed: z.int(),
  diff: z.string().describe("Unified, by lines."),
});
export type SectionDiff = z.infer<typeof SectionDiff>;

export const ExportDraft = z.strictObject({
  format: z.enum(["markdown", "html"]).default("markdown").describe("As what."),
});
export type ExportDraft = z.infer<typeof ExportDraft>;
export const ExportedDraft = z.object({ format: z.string(), sections: z.int(), content: z.string() });
export type ExportedDraft = z.infer<typeof ExportedDraft>;

export const MoveSection = z
  .strictObject({
    section_id: z.string().max(100).describe("Which section."),
    before: z.string().max(100).optional().describe("In front of this section."),
    after: z.string().max(100).optional().describe("Behind this section."),
    place: z.int().min(1).max(MOST_SECTIONS).optional().describe("To this place, from 1."),
  })
  .refine(
    ({ before, after, place }) => [before, after, place].filter((one) => one !== undefined).length === 1,
    "say where to: before, after or place",
  );
export type MoveSection = z.infer<typeof MoveSection>;
export const MovedSection = z.object({ section_id: z.string(), place: z.int(), order: z.array(z.string()) });
export type MovedSection = z.infer<typeof MovedSection>;
