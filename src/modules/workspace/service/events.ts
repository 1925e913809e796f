/** What events of the workspace hold, and what each reader is told of them: nobody else looks into their data. */
import type { TxCtx } from "../../../context.ts";
import { appendGroup, defineEvent, type EventView } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { PlanLinkRow, PlanTaskRow } from "../tables.ts";

export const TOPIC = "workspace";
export const STREAMS = { notes: "notes", draft: "draft", plan: "plan" } as const;
const PREVIEW_CHARACTERS = 200;

type Note = { note_id: string; author: string; tags: readonly string[]; preview: string };
export const noteAdded = defineEvent<Note>({ topic: TOPIC, type: "note.added" });

type Section = { section_id: string; title: string; version: number; author: string; preview: string };
export const sectionCreated = defineEvent<Section>({ topic: TOPIC, type: "section.created" });
export const sectionUpdated = defineEvent<Section>({ topic: TOPIC, type: "section.updated" });
const sectionMoved = defineEvent<{ section_id: string; place: number }>({ topic: TOPIC, type: "section.moved" });
export const sectionRead = defineEvent<{ section_id: string; reader: string }>({ topic: TOPIC, type: "section.read" });
const OF_SECTIONS = [sectionCreated, sectionUpdated, sectionMoved];

type Status = PlanTaskRow["status"];
type Planned = { task_id: string; description: string; assigned_to: string | null };
type Change = { task_id: string; old_status: Status; new_status: Status; assigned_to: string | null; author: string };
type Link = { task_id: string; other_id: string; kind: PlanLinkRow["kind"] };
const planAdded = defineEvent<Planned & { status: Status }>({ topic: TOPIC, type: "plan.added" });
export const planUpdated = defineEvent<Change>({ topic: TOPIC, type: "plan.updated" });
const planQueued = defineEvent<Planned>({ topic: TOPIC, type: "plan.queued" });
const planLinked = defineEvent<Link>({ topic: TOPIC, type: "plan.linked" });
const planUnlinked = defineEvent<Link>({ topic: TOPIC, type: "plan.unlinked" });

interface NewNote extends Omit<Note, "note_id" | "preview"> {
  id: number;
  content: string;
}

/** The note has the event's id. */
export const tellNote = (ctx: TxCtx, { id, author, tags, content }: NewNote): Promise<number> => {
  const data = { note_id: formatId(id), author, tags, preview: previewOf(content) };
  return noteAdded.append(ctx, { id, stream: STREAMS.notes, data });
};

interface Written extends Omit<Section, "preview"> {
  id: number;
  content: string;
  created: boolean;
}

/** The version has the event's id. */
export const tellWritten = (ctx: TxCtx, written: Written): Promise<number> => {
  const { id, section_id, title, version, author, content, created } = written;
  const data = { section_id, title, version, author, preview: previewOf(content) };
  return (created ? sectionCreated : sectionUpdated).append(ctx, { id, stream: STREAMS.draft, data });
};

export const tellMoved = (ctx: TxCtx, section_id: string, place: number): Promise<number> =>
  sectionMoved.append(ctx, { stream: STREAMS.draft, data: { section_id, place } });

export async function tellRead(ctx: TxCtx, reader: string, section_ids: readonly string[]): Promise<void> {
  const stream = STREAMS.draft;
  const events = section_ids.map((section_id) =>
    sectionRead.member<{ reader: string }>({ id: ctx.tx.takeId(), stream, data: { section_id } }),
  );
  const ref = events.at(-1)?.id;
  if (ref !== undefined) await appendGroup(ctx, { topic: TOPIC, ref, data: { reader } }, events);
}

/** The task has the event's id. */
export const tellPlanned = (ctx: TxCtx, { id, description, status, assigned_to }: PlanTaskRow): Promise<number> => {
  const data = { task_id: formatId(id), description, status, assigned_to };
  return planAdded.append(ctx, { id, stream: STREAMS.plan, data });
};

export const tellPlanChange = (
  ctx: TxCtx,
  { id: ref, status: new_status, assigned_to }: PlanTaskRow,
  { old_status, author }: { old_status: Status; author: string },
): Promise<number> => {
  const data = { task_id: formatId(ref), old_status, new_status, assigned_to, author };
  return planUpdated.append(ctx, { ref, stream: STREAMS.plan, data });
};

export const tellQueued = (ctx: TxCtx, { id: ref, description, assigned_to }: PlanTaskRow): Promise<number> =>
  planQueued.append(ctx, { ref, stream: STREAMS.plan, data: { task_id: formatId(ref), description, assigned_to } });

export const tellLink = (ctx: TxCtx, what: "linked" | "unlinked", row: PlanLinkRow): Promise<number> =>
  (what === "linked" ? planLinked : planUnlinked).append(ctx, {
    ...{ ref: row.task_id, stream: STREAMS.plan },
    data: linkOf(row),
  });

export const linkOf = ({ task_id, other_id, kind }: PlanLinkRow): Link => ({
  ...{ task_id: formatId(task_id), other_id: formatId(other_id), kind },
});

/** One function for all who watch: a door works out once what everybody with the same one is told. */
export const changesHint: EventView = (event) => (sectionRead.is(event) ? null : {});

export const sectionHint =
  (section_id: string): EventView =>
  (event) =>
    OF_SECTIONS.some(({ is }) => is(event) && event.data.section_id === section_id) ? {} : null;

/** The first characters of a text: never half of one. */
const previewOf = (text: string): string =>
  // No character takes more than two units, so that no more has to be taken apart.
  [...text.slice(0, PREVIEW_CHARACTERS * 2)].slice(0, PREVIEW_CHARACTERS).join("").toWellFormed();
