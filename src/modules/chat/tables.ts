import type { Message } from "./schema.ts";

export type MessageRow = Pick<Message, "author" | "author_principal" | "mime" | "content"> & { id: number };

export type NewMessageRow = Pick<Message, "author" | "mime" | "content"> & {
  id: number;
  inbox_id: number;
  principal_id: string;
  /** The orchestrator that acted for the agent. */
  by_principal_id: string | null;
  bytes: number;
};
