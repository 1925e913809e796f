import type { CauseColumns } from "../../feed/index.ts";
import type { LinkKind, PlanStatus } from "./schema.ts";

/** Who wrote something, and by whom where that was said for them. */
export type AuthorColumns = { author: string; author_id: string; by_principal_id: string | null };

export type NoteRow = AuthorColumns &
  CauseColumns & {
    id: number;
    content: string;
    /** The same, as it is compared where case does not count. */
    folded: string;
    /** JSON. */
    tags: string;
    links: string;
    bytes: number;
  };

/** As it is now, without its text. */
export type SectionRow = {
  section_id: string;
  /** The smallest is first. There is room between two of them, for what is put there. */
  order_key: number;
  version: number;
  /** Of its newest version. */
  id: number;
  bytes: number;
  author: string;
  title: string;
};

export type VersionRow = AuthorColumns &
  CauseColumns & {
    section_id: string;
    version: number;
    id: number;
    title: string;
    content: string;
    bytes: number;
  };

export type PlanTaskRow = AuthorColumns &
  CauseColumns & {
    id: number;
    description: string;
    status: PlanStatus;
    assigned_to: string | null;
    summary: string | null;
    updated_at: string;
    /** Whether the queue is to do it: as soon as it is ready, or it was told. */
    queue: "waiting" | "told" | null;
    queued_by: string | null;
    queued_by_id: string | null;
    queue_task_id: number | null;
  };

export type PlanLinkRow = { task_id: number; kind: LinkKind; other_id: number };
