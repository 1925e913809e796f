import type { Reader } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";

/** No count goes further than it needs to. */
const counted = (rows: string): string => `select count(*) as count from (${rows} limit :most) as counted`;

interface Since {
  created_by: string;
  since: string;
  most: number;
}

const spacesSince = statement<Since, { count: number }>(
  counted("select id from spaces where created_by = :created_by and created_at > :since"),
);
export const countSpacesSince = async (db: Reader, args: Since): Promise<number> =>
  Number((await db.get(spacesSince, args))?.count ?? 0);

type Open = { created_by: string; now: string; most: number };

const openSpaces = statement<Open, { count: number }>(
  counted("select id from spaces where created_by = :created_by and expires_at > :now and emptied_at is null"),
);
/** Without those that are permanent: nobody makes one. */
export const countOpenSpaces = async (db: Reader, args: Open): Promise<number> =>
  Number((await db.get(openSpaces, args))?.count ?? 0);

const agentsSince = statement<Since, { count: number }>(
  counted("select principal_id from agents where created_by = :created_by and created_at > :since"),
);
/** In all spaces, those that were deleted as well. */
export const countAgentsSince = async (db: Reader, args: Since): Promise<number> =>
  Number((await db.get(agentsSince, args))?.count ?? 0);

const tokensSince = statement<Since, { count: number }>(
  counted("select id from tokens where created_by = :created_by and created_at > :since"),
);
export const countTokensSince = async (db: Reader, args: Since): Promise<number> =>
  Number((await db.get(tokensSince, args))?.count ?? 0);

type Holder = { principal_id: string; now: string; most: number };

const workingTokens = statement<Holder, { count: number }>(
  counted(
    `select id from tokens where principal_id = :principal_id and revoked_at is null and label is null
     and (expires_at is null or expires_at > :now)`,
  ),
);
export const countWorkingTokens = async (db: Reader, args: Holder): Promise<number> =>
  Number((await db.get(workingTokens, args))?.count ?? 0);

const openCodes = statement<{ created_by: string; now: string }, { count: number }>(
  "select count(*) as count from login_codes where created_by = :created_by and expires_at > :now and token_id is null",
);
export const countOpenCodes = async (db: Reader, args: { created_by: string; now: string }): Promise<number> =>
  Number((await db.get(openCodes, args))?.count ?? 0);
