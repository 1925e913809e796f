import type { LogBody } from "../schema.ts";

/** What may happen to an agent. That it said something is no entry of its log: it stands in the chat. */
export type EntryBody =
  | LogBody<number>
  | { type: "AssistantText"; chat_id: number; author: string; mime: string; content: string };

export type Entry = { id: number; turn_id: number | null } & EntryBody;

/** Of which types one text may be long, and is then kept beside. */
export const LONG: Readonly<Record<string, string>> = {
  ModelText: "text",
  ToolCall: "arguments",
  Called: "arguments",
  ToolOutput: "output",
  Notification: "text",
};

/** One that runs a program says which, as a list of words. */
export function contentKind(args: string): "Exec" | "Json" {
  const { argv, cmd } = objectIn(args);
  return isWords(argv) || isWords(cmd) ? "Exec" : "Json";
}

const isWords = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string");

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    // What a model wrote may be no JSON; it is shown as it is.
    return {};
  }
}
