import { cut } from "../../../text.ts";

const MOST_TITLE = 200;

/** As a notice or a mail has them: a title is one short line, and what does not fit into it stands below. */
export function wordsOf({ question, context }: { question: string; context: string }): { title: string; text: string } {
  const line = question.trim().replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
  const title = cut(line, MOST_TITLE - 1);
  const text = title === question.trim() ? context : [question, context].filter(Boolean).join("\n\n");
  return { title, text };
}
