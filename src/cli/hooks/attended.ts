/**
 * Whether a person sits before the client that runs us. Where nobody does no hook waits and none prolongs the turn: the
 * run ends as it would without us, and what it prints is the answer to its prompt. In doubt nobody is there.
 */
import type { HookClient } from "./events.ts";
import { wordsOf } from "./processes.ts";

type Env = Readonly<Record<string, string | undefined>>;

export const isAttended = (client: HookClient): boolean =>
  client === "claude" ? isClaudeAttended(process.env) : isCodexAttended(wordsOf(process.ppid));

/** It says so itself; an older one says only how it was started, and that of a terminal alone is sure. */
export const isClaudeAttended = ({
  CLAUDE_CODE_SESSION_ATTENDED: attended,
  CLAUDE_CODE_ENTRYPOINT: entry,
}: Env): boolean => (attended === undefined ? entry === "cli" : attended === "1");

/** Codex says nothing, but how it was started does: these run hooks themselves, its terminals and daemon are the rest. */
const WITHOUT_A_PERSON = new Set(["exec", "e", "review"]);

export const isCodexAttended = (words: readonly string[]): boolean =>
  words.length > 0 && !words.some((word) => WITHOUT_A_PERSON.has(word));
