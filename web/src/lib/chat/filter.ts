import type { Doing } from "./doings.svelte.ts";
import type { Order, Row } from "./rows.ts";

/** What of a timeline somebody wants to see. */
export interface Filter {
  kind: keyof typeof KINDS;
  text: string;
  order: Order;
}

export const KINDS = {
  all: "Everything",
  said: "What was said",
  done: "What was done",
  asked: "What it asked",
  tasks: "Tasks it made",
  failed: "What went wrong",
} as const;

export const ORDERS = { oldest: "Oldest first", newest: "Newest first" } as const satisfies Record<Order, string>;

export const EVERYTHING: Filter = { kind: "all", text: "", order: "oldest" };

const GOOD = [null, "done", "finished", "cancelled"];

/** Whether a row is one of them. What is being said is always shown. */
export function matcherOf({ kind, text }: Omit<Filter, "order">): (row: Row) => boolean {
  const sought = text.trim().toLowerCase();
  if (kind === "all" && sought === "") return () => true;
  return (row) => row.pending !== undefined || (isOf(row, kind) && wordsOf(row).toLowerCase().includes(sought));
}

function isOf(row: Row, kind: Filter["kind"]): boolean {
  if (kind === "all") return true;
  if ("message" in row) return kind === "said";
  const { doing } = row;
  if (kind === "asked") return doing.kind === "Question" || (doing.kind === "Tool" && isAsked(doing));
  if (kind === "tasks") return doing.kind === "Task";
  return kind === "done" || (kind === "failed" && wentWrong(doing));
}

/** The policy decides about every call of another server; of these a person was to. */
const isAsked = ({ approval }: Extract<Doing, { kind: "Tool" }>): boolean =>
  approval !== null && !approval.outcome?.startsWith("policy_");

const wentWrong = (doing: Doing): boolean =>
  doing.kind === "Question" ? doing.state === "no_response" : "outcome" in doing && !GOOD.includes(doing.outcome);

function wordsOf(row: Row): string {
  if ("message" in row) return `${row.message.author_principal} ${row.message.content}`;
  const { doing } = row;
  switch (doing.kind) {
    case "Tool":
      return `${doing.tool} ${doing.arguments} ${doing.output ?? ""} ${doing.approval?.reason ?? ""}`;
    case "Question":
      return `${doing.question} ${doing.answer ?? ""}`;
    case "Task":
      return `${doing.content} ${doing.result ?? ""}`;
    case "Notice":
      return doing.content;
    default:
      return doing.error ?? "";
  }
}
