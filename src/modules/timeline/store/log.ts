import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { EventRow } from "../tables.ts";

interface Of {
  space_id: string;
  principal_id: string;
}

type Size = { id: number; bytes: number };
/** With the whole of a text that stands beside it. */
type WholeRow = EventRow & { text: string | null };

const insert = statement<EventRow & { space_id: string }>(
  `insert into run_events (space_id, id, principal_id, turn_id, type, key, body, bytes)
   values (:space_id, :id, :principal_id, :turn_id, :type, :key, :body, :bytes)`,
);
export const insertEvents = (tx: Tx, rows: readonly EventRow[]): Promise<void> =>
  tx.runAll(
    insert,
    rows.map((row) => ({ ...row, space_id: tx.space_id })),
  );

const insertText = statement<{ space_id: string; id: number; text: string }>(
  "insert into run_event_texts (space_id, id, text) values (:space_id, :id, :text)",
);
export const insertEventText = (tx: Tx, row: { id: number; text: string }): Promise<void> =>
  tx.run(insertText, { ...row, space_id: tx.space_id });

const textOf = statement<{ space_id: string; id: number }, { text: string }>(
  "select text from run_event_texts where space_id = :space_id and id = :id",
);
/** Of an entry that has a long one; null for the others. */
export const findEventText = async (db: Reader, args: { space_id: string; id: number }): Promise<string | null> =>
  (await db.get(textOf, args))?.text ?? null;

const byKey = statement<Of & { key: string }, { id: number }>(
  "select id from run_events where space_id = :space_id and principal_id = :principal_id and key = :key",
);
export const findEventByKey = async (tx: Tx, args: { principal_id: string; key: string }): Promise<number | null> =>
  (await tx.get(byKey, { ...args, space_id: tx.space_id }))?.id ?? null;

const turnByKey = statement<Of & { key: string }, { turn_id: number | null }>(
  `select turn_id from run_events where space_id = :space_id and principal_id = :principal_id and key = :key
   and type = 'ToolCall'`,
);
/** Of the call that was noted under this key; null where none was. */
export const findTurnOfKey = async (tx: Tx, args: { principal_id: string; key: string }): Promise<number | null> =>
  (await tx.get(turnByKey, { ...args, space_id: tx.space_id }))?.turn_id ?? null;

const inputSizes = statement<Of & { after_id: number; limit: number }, Size>(
  `select id, bytes from run_events where space_id = :space_id and principal_id = :principal_id and id > :after_id
   and type in ('UserText', 'Resumed') order by id limit :limit`,
);
/** What begins turns and is in no model's input yet, from the index alone. */
export const listInputSizes = (
  db: Reader,
  { space_id, principal_id, after_id, limit }: Of & { after_id: number; limit: number },
): Promise<Size[]> => db.all(inputSizes, { space_id, principal_id, after_id, limit });

const WHOLE = `select e.id, e.principal_id, e.turn_id, e.type, e.key, e.body, e.bytes, t.text
   from run_events e left join run_event_texts t on t.space_id = e.space_id and t.id = e.id
   where e.space_id = :space_id and e.principal_id = :principal_id and e.id >= :first_id and e.id <= :last_id`;

const inputs = statement<Of & { first_id: number; last_id: number }, EventRow>(
  `select id, principal_id, turn_id, type, key, body, bytes from run_events
   where space_id = :space_id and principal_id = :principal_id and id >= :first_id and id <= :last_id
   and type in ('UserText', 'Resumed') order by id`,
);
/** None of them has a text that stands beside it. */
export const listInputs = (
  db: Reader,
  { space_id, principal_id, first_id, last_id }: Of & { first_id: number; last_id: number },
): Promise<EventRow[]> => db.all(inputs, { space_id, principal_id, first_id, last_id });

const sizesBefore = statement<Of & { before_id: number; limit: number }, Size>(
  `select id, bytes from run_events where space_id = :space_id and principal_id = :principal_id and id < :before_id
   order by id desc limit :limit`,
);
/** Newest first. */
export const listEventSizes = (
  db: Reader,
  { space_id, principal_id, before_id, limit }: Of & { before_id: number; limit: number },
): Promise<Size[]> => db.all(sizesBefore, { space_id, principal_id, before_id, limit });

const between = statement<Of & { first_id: number; last_id: number }, WholeRow>(`${WHOLE} order by e.id`);
export const listEvents = (
  db: Reader,
  { space_id, principal_id, first_id, last_id }: Of & { first_id: number; last_id: number },
): Promise<WholeRow[]> => db.all(between, { space_id, principal_id, first_id, last_id });

const ofTurn = statement<Of & { turn_id: number }, Pick<EventRow, "id" | "type" | "body">>(
  `select id, type, body from run_events where space_id = :space_id and principal_id = :principal_id and id >= :turn_id
   and turn_id = :turn_id and type in ('ToolCall', 'ToolOutput', 'Yielded') order by id`,
);
/** What was called in a turn, what came of it, and whether it was given up. */
export const listOfTurn = (tx: Tx, args: { principal_id: string; turn_id: number }) =>
  tx.all(ofTurn, { ...args, space_id: tx.space_id });

const wholeTurn = statement<Of & { turn_id: number }, Pick<EventRow, "id" | "type" | "body">>(
  `select id, type, body from run_events where space_id = :space_id and principal_id = :principal_id and id >= :turn_id
   and turn_id = :turn_id order by id`,
);
export const listWholeTurn = (tx: Tx, args: { principal_id: string; turn_id: number }) =>
  tx.all(wholeTurn, { ...args, space_id: tx.space_id });

type CallRow = Pick<EventRow, "id" | "body"> & { text: string | null; agent: string };

const calls = statement<{ space_id: string; before_id: number; limit: number }, CallRow>(
  `select e.id, e.body, t.text, p.name as agent from run_events e join principals p on p.id = e.principal_id
   left join run_event_texts t on t.space_id = e.space_id and t.id = e.id
   where e.space_id = :space_id and e.type = 'ToolCall' and e.id < :before_id order by e.id desc limit :limit`,
);
/** What models have called, of whichever agent, newest first. */
export const listCalls = (
  db: Reader,
  { space_id, before_id, limit }: { space_id: string; before_id: number; limit: number },
): Promise<CallRow[]> => db.all(calls, { space_id, before_id, limit });

const lastEvent = statement<Of & { up_to: number }, Pick<EventRow, "id" | "turn_id">>(
  `select id, turn_id from run_events where space_id = :space_id and principal_id = :principal_id and id <= :up_to
   order by id desc limit 1`,
);
export const findLastEvent = (tx: Tx, args: { principal_id: string; up_to: number }) =>
  tx.get(lastEvent, { ...args, space_id: tx.space_id });

const approvalsOfTurn = statement<Of & { turn_id: number }, { body: string }>(
  `select body from run_events where space_id = :space_id and principal_id = :principal_id and id >= :turn_id
   and turn_id = :turn_id and type = 'Approval' order by id`,
);
/** What was asked about calls of a turn, oldest first. */
export const listApprovalsOfTurn = (tx: Tx, args: { principal_id: string; turn_id: number }) =>
  tx.all(approvalsOfTurn, { ...args, space_id: tx.space_id });

const lastUserText = statement<Of, { body: string }>(
  `select body from run_events where space_id = :space_id and principal_id = :principal_id
   and type in ('UserText', 'Resumed') and type = 'UserText' order by id desc limit 1`,
);
export const findLastUserText = async (tx: Tx, principal_id: string): Promise<string | null> =>
  (await tx.get(lastUserText, { principal_id, space_id: tx.space_id }))?.body ?? null;
