import type { CauseColumns } from "../../feed/index.ts";
import type { Message } from "./schema.ts";

export type MessageRow = Pick<Message, "author" | "author_principal" | "mime" | "content"> & { id: number };

export type NewMessageRow = Pick<Message, "author" | "mime" | "content"> &
  CauseColumns & {
    space_id: string;
    id: number;
    inbox_id: number;
    principal_id: string;
    /** The orchestrator that acted for the agent. */
    by_principal_id: string | null;
    bytes: number;
  };

/** How it begins, who said it, and why. */
export type FirstLineRow = CauseColumns & { inbox_id: number; by: string; line: string };
