import type { Reader } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";

interface Cut {
  space_id: string;
  id: number;
  /** How many characters of its beginning, and of its end. */
  head: number;
  tail: number;
}

export interface EndsRow {
  head: string;
  tail: string;
  /** Of the whole. */
  characters: number;
}

const whole = statement<{ space_id: string; id: number }, { body: string }>(
  "select body from mails where space_id = :space_id and id = :id",
);
export const findBody = async (db: Reader, args: { space_id: string; id: number }): Promise<string | undefined> =>
  (await db.get(whole, args))?.body;

const ends = statement<Cut, EndsRow>(
  `select substr(body, 1, cast(:head as integer)) as head,
   substr(body, length(body) - cast(:tail as integer) + 1) as tail, length(body) as characters
   from mails where space_id = :space_id and id = :id`,
);
/** Of a body that has more characters than `tail`. What is between is not even fetched. */
export const findEnds = (db: Reader, args: Cut): Promise<EndsRow | undefined> => db.get(ends, args);
