/** What is needed only when something went wrong, so that nothing else has to load it. */
import { CODES, type ErrorCode, KINDS } from "../../errors.ts";
import { codeOf } from "../../local/files.ts";
import { didYouMean } from "../../suggest.ts";
import { Failure, reasonOf } from "./failure.ts";
import { MADE } from "./made-commands.ts";
import { programName } from "./program.ts";

/** By its code. A newer hub may know codes that we do not: then the status decides. */
export function exitCodeOf({ code, exit, status }: Failure): number {
  if (exit !== undefined) return exit;
  if (isKnown(code)) return KINDS[CODES[code]].exit;
  return status === undefined ? 1 : exitOfStatus(status);
}

/** What is so on this machine, and no bug of ours: a folder of somebody else's, a disk that is full or read-only. */
const REFUSALS = [
  "EACCES",
  "EPERM",
  "EROFS",
  "ENOSPC",
  "EDQUOT",
  "EIO",
  "EISDIR",
  "ENOTDIR",
  "ELOOP",
  "EMFILE",
  "ENFILE",
];

export const refusedBySystem = (error: unknown): Failure | undefined =>
  REFUSALS.includes(codeOf(error))
    ? new Failure(
        "STORAGE_UNAVAILABLE",
        `The system refused it: ${reasonOf(error)}. To see what is wrong: ${programName()} doctor`,
        { cause: error },
      )
    : undefined;

interface CommandHints {
  /** What is to be typed for a command. */
  line: (command: string) => string;
  /** How a time is told. */
  time: (iso: string) => string;
}

const PLAIN: CommandHints = { line: (command) => `${programName()} ${command}`, time: (iso) => iso };

/**
 * The sentence, with what was probably meant. The hub speaks of tools and in its own time, as it does to models; people
 * type commands, and have clocks of their own.
 */
export const sentenceOf = ({ message, near }: Failure, { line, time }: CommandHints = PLAIN): string => {
  const spoken = message
    .replace(NO_TRIGGER, (words) => `${words}. See them all: ${line("trigger list")}`)
    .replace(TOOL_FIRST, "")
    .replace(TOOL, (tool) => (commandOf(tool) === undefined ? tool : line(commandOf(tool) ?? "")))
    .replace(STAMP, (_, at = "", iso) => atTime(at, time(iso)));
  return near ? `${spoken}${didYouMean(near.given, near.names)}` : spoken;
};

/** Its words are fixed, and name no way out. */
const NO_TRIGGER = /^Trigger '.*' not found$/s;

/** Only what the hub stamped has milliseconds; a time that somebody typed is theirs. */
const STAMP = /(at )?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)/g;

/** `at 09:15`, but `yesterday 09:15`. */
const atTime = (at: string, told: string): string => (/^\d/.test(told) ? `${at}${told}` : told);

const TOOL_FIRST = /^[a-z]+(?:_[a-z]+)+: /;
const TOOL = /\b[a-z]+(?:_[a-z]+)+\b/g;

/** Those that were not made of tools. */
const COMMANDS: Readonly<Record<string, string>> = {
  agent_ensure: "identity ensure",
  chat_assistant_post: "chat send",
  chat_human_post: "chat send",
  add_question: "ask",
  chat_read_before: "chat read",
  chat_read_since: "chat read",
  login_create: "login",
  mail_inbox: "inbox",
  approval_decide: "approvals decide",
  mail_poll: "poll",
  mail_publish: "publish",
  mail_read: "read",
  mail_reply: "reply",
  mail_search: "search",
  mail_send: "send",
  // Named only where there are too many.
  mail_subscribe: "unsubscribe",
  mail_thread: "thread",
  mail_wait: "wait",
  notice_settle: "notice settle",
  policy_decide: "policy decide",
  policy_get: "policy show",
  policy_set: "policy edit",
  submit_answers: "answer",
  timeline_read: "timeline",
  timeline_text: "output",
};

/** Undefined for what no command does. */
export const commandOf = (tool: string): string | undefined =>
  Object.hasOwn(COMMANDS, tool) ? COMMANDS[tool] : MADE.find((made) => made.tool === tool && !made.fixed)?.name;

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(CODES, code);

function exitOfStatus(status: number): number {
  const kind = Object.values(KINDS).find((kind) => kind.status === status);
  return kind?.exit ?? (status >= 400 && status < 500 ? 2 : 1);
}
