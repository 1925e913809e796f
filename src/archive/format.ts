/**
 * What a space held when it ended, as a file: a gzip of lines of JSON. The first says what it is, the last how many there
 * were and their digest, and each between is a row of a table. `src/cli/spaces` reads it without loading the hub.
 */
import { z } from "zod";

const ARCHIVE_FORMAT = 1;
export const ARCHIVE_ENDING = ".parley.gz";

export const Header = z.object({
  parley_archive: z.literal(ARCHIVE_FORMAT),
  space: z.string(),
  created_at: z.iso.datetime(),
  ended_at: z.iso.datetime(),
  /** As many migrations as the database had. */
  schema_version: z.int().min(1),
  /** Where the space's feed ended: what is made after it is opened comes later. */
  last_id: z.int().min(0),
  default_inbox_id: z.int().min(0),
});
export type Header = z.infer<typeof Header>;

export const Value = z.union([z.string(), z.number(), z.null()]);
export type Row = Record<string, z.infer<typeof Value>>;

export const Line = z.strictObject({ table: z.string().max(60), row: z.record(z.string(), Value) });
export type Line = z.infer<typeof Line>;

/** Whom its rows speak of: they belong to the hub and not to a space. */
export const PRINCIPALS = "principals";

/** By when it ended, so that names sort by time; a space may be of any letters, none of which leads elsewhere. */
export const archiveName = ({ space, ended_at }: Pick<Header, "space" | "ended_at">): string =>
  `${space}-${ended_at.replaceAll(/[-:]|\.\d+/g, "")}${ARCHIVE_ENDING}`;
