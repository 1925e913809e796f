import type { Reader } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";

/** As many as one read looks up. */
export const MOST_AT_ONCE = 50;

const letter = (n: number): string => String.fromCharCode("a".charCodeAt(0) + n);
/** Parameters for that many values; those that are not given are null and match nothing. */
const several = (prefix: string): string[] =>
  Array.from({ length: MOST_AT_ONCE }, (_, n) => `${prefix}_${letter(Math.floor(n / 26))}${letter(n % 26)}`);
const TOKENS = several("token");
const SPACES = several("space");
const listed = (names: readonly string[]): string => names.map((name) => `:${name}`).join(", ");
const named = (names: readonly string[], values: readonly string[]): Record<string, string> =>
  Object.fromEntries(values.map((value, at) => [names[at] ?? "", value]));

interface Held {
  token_id: string;
  expires_at: string | null;
  /** Where its principal has a grant; `*` for everywhere. */
  space_id: string;
}

const held = statement<Record<string, string>, Held>(
  // `cross join`: SQLite would rather begin with everybody's grants in those spaces.
  `select t.id as token_id, t.expires_at, g.space_id from tokens t cross join grants g
   where t.id in (${listed(TOKENS)}) and t.revoked_at is null
   and g.principal_id = t.principal_id and g.space_id in ('*', ${listed(SPACES)})`,
);

/** What unrevoked tokens among these may enter, of these spaces. */
export const listHeld = (db: Reader, { tokens, spaces }: { tokens: string[]; spaces: string[] }): Promise<Held[]> =>
  db.all(held, { ...named(TOKENS, tokens), ...named(SPACES, spaces) });

const open = statement<Record<string, string>, { id: string }>(
  `select id from spaces where id in (${listed(SPACES)}) and (expires_at is null or expires_at > :now)`,
);

export const listOpenAmong = async (
  db: Reader,
  { spaces, now }: { spaces: string[]; now: string },
): Promise<string[]> => (await db.all(open, { ...named(SPACES, spaces), now })).map(({ id }) => id);
