import { dateWords } from "#lib/time.ts";
import { visibleLine } from "$visible";

interface Rule {
  expires_at?: string | undefined;
  reason?: string | undefined;
}

/**
 * The hub's sentence for a rule, with its end in the reader's zone. Only what the hub itself wrote at the end of it counts:
 * the same words in a condition are what somebody else wrote.
 */
export function ruleWords(sentence: string, { expires_at, reason }: Rule, now: number): string {
  if (expires_at === undefined) return sentence;
  const rest = `${reason ? ` (${visibleLine(reason.replace(/\.$/, ""))})` : ""}.`;
  const told = `, until ${expires_at.slice(0, 16).replace("T", " ")} UTC${rest}`;
  if (!sentence.endsWith(told)) return sentence;
  return `${sentence.slice(0, -told.length)}, until ${dateWords(expires_at, now)}${rest}`;
}
