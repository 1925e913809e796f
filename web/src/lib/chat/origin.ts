import type { Tools } from "#lib/hub/types.ts";
import { callState, endWords, questionState, shortArguments, taskState } from "./doing-words.ts";

export type Item = Tools["timeline_read"]["output"]["items"][number];

/** An item of another's timeline in a line: who or what, and what of it. */
export function lineOf(item: Item): { who: string; text: string } {
  switch (item.kind) {
    case "UserMessage":
    case "AssistantMarkdown":
      return { who: item.author_principal, text: item.content };
    case "Tool":
      return { who: item.tool, text: [shortArguments(item), callState(item).words].filter(Boolean).join(" · ") };
    case "Question":
      return { who: "Question", text: [item.question, item.answer ?? questionState(item).words].join(" · ") };
    case "Task":
      return { who: "Task", text: [item.content, item.result ?? taskState(item).words].join(" · ") };
    case "EndTurn":
      return { who: "", text: endWords(item) };
    default:
      return { who: "", text: item.content };
  }
}

/** Behind the last entry that it knows. */
export const behind = (id: string): string => String(Number(id) + 1);
