/**
 * The words that a trigger says. Placeholders are filled in once, so what is filled in is never looked through again;
 * whatever came from outside stands between marks that it cannot know, with a sentence that says it is data.
 */
import { join } from "node:path";
import type { Config } from "../../../config.ts";
import { ParleyError } from "../../../errors.ts";
import { readOwn } from "../../../local/rights.ts";
import { cut, firstBytes } from "../../../text.ts";
import { Boundary } from "../../../untrusted.ts";
import * as tasks from "../../tasks/index.ts";
import { DEFAULT_SESSION } from "../schema.ts";
import type { TriggerRow } from "../tables.ts";
import { type Payload, rootOf, valueAt } from "./payload.ts";

export interface Occasion {
  trigger: Pick<TriggerRow, "name" | "channel" | "prompt" | "session_key">;
  payload: Payload | undefined;
  sender: string;
  now: number;
  /** With which run the payload is stored. */
  run_id: string | undefined;
}

const PLACEHOLDER = /\{\{\s*(payload(?:\.[A-Za-z0-9_$:-]+)*|sender|trigger_name|channel|now)\s*\}\}/g;
const MOST_KEY = 200;
const MOST_BRIEF = 4000;
const MOST_FILE = 100_000;
/** For the sentence about the marks, and the one about what is left out. */
const OWN_WORDS_BYTES = 1000;

/** What is written with the trigger, else in its file, else that it was fired. */
export function promptOf(config: Config, { name, prompt }: Occasion["trigger"]): string | undefined {
  if (prompt !== null && prompt.trim() !== "") return prompt;
  let text: string;
  try {
    // A trigger's name is no path: it has neither dots nor slashes.
    text = readOwn(join(config.home, "triggers", `${name}.md`));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw unreadable(name, `${message}. It has to be a file of the hub's own, and no link.`, error);
  }
  if (text.includes("\0")) throw unreadable(name, "it is no text in UTF-8.");
  return text.trim() === "" ? undefined : cut(text, MOST_FILE).trimEnd();
}

const unreadable = (name: string, why: string, cause?: unknown): ParleyError =>
  new ParleyError(
    "CONFLICT",
    `What trigger '${name}' says cannot be read from triggers/${name}.md in the data folder: ${why}`,
    { cause },
  );

/** What came is filled in as far as a task has room for it. What is left out is told, and where all of it is. */
export function render(template: string | undefined, occasion: Occasion): string {
  const { trigger, payload } = occasion;
  const boundary = new Boundary(`came with trigger '${trigger.name}' from outside`, payload?.payload ?? "");
  const words = template ?? `Trigger '{{trigger_name}}' was fired.${payload?.payload ? "\n\n{{payload}}" : ""}`;
  const bytes = Buffer.byteLength(fill(words, occasion, () => ""));
  const room = roomFor(boundary, tasks.MOST_CONTENT_BYTES - OWN_WORDS_BYTES - bytes);
  const filled = fill(words, occasion, room.take);
  return boundary.explained(filled + leftOut(room.leftOut(), occasion));
}

/** What comes first is whole; what no longer fits is cut, and what comes behind it left out. */
function roomFor(boundary: Boundary, bytes: number): { take: (text: string) => string; leftOut: () => number } {
  let [left, left_out] = [bytes, 0];
  const take = (text: string): string => {
    const size = Buffer.byteLength(text);
    const over = Buffer.byteLength(boundary.around(text)) - left;
    const kept = over <= 0 ? text : firstBytes(text, Math.max(0, size - over));
    left_out += size - Buffer.byteLength(kept);
    const marked = boundary.around(kept);
    left -= Buffer.byteLength(marked);
    return marked;
  };
  return { take, leftOut: () => left_out };
}

function leftOut(bytes: number, { trigger, run_id }: Occasion): string {
  if (bytes === 0) return "";
  const where = `trigger_test with the name ${trigger.name} and the run ${run_id} shows all of it, as payload.`;
  return `\n\nOf what came, ${bytes} bytes are left out above: a task holds no more.${run_id === undefined ? "" : ` ${where}`}`;
}

/** Placeholders by what they stand for; what came from outside as `around` gives it. */
function fill(template: string, occasion: Occasion, around: (text: string) => string): string {
  const valueAtName = readerOf(occasion.payload);
  return template.replace(PLACEHOLDER, (_, name: string) =>
    name.startsWith("payload") ? around(valueAtName(name)) : plain(name, occasion),
  );
}

/** Of a placeholder of the payload. Nothing, where nothing came or there is nothing at that place. */
function readerOf(payload: Payload | undefined): (name: string) => string {
  if (payload === undefined) return () => "";
  let root: { value: unknown } | undefined;
  return (name) => {
    if (name === "payload") return payload.payload;
    root ??= { value: rootOf(payload) };
    return valueAt(root.value, name.slice("payload.".length)) ?? "";
  };
}

function plain(name: string, { trigger, sender, now }: Occasion): string {
  const known: Record<string, string> = {
    sender,
    trigger_name: trigger.name,
    channel: trigger.channel,
    now: new Date(now).toISOString(),
  };
  return known[name] ?? "";
}

/** What a session that waits is told of a task's end. It may be one that knows nothing of the task. */
export function relayText({ task_id, status, content, result, sender }: Ended): string {
  const boundary = new Boundary("is what the task said and what came of it, in its worker's words", content + result);
  const asked = sender === null ? "whoever asked for it" : `whoever asked for it: ${sender}`;
  return boundary.explained(
    [
      `Task ${task_id}, which this trigger waits for, has ended: it is ${status}.`,
      `What was to be done:\n${boundary.around(cut(content, MOST_BRIEF))}`,
      result === "" ? "It has no result." : `Its result:\n${boundary.around(result)}`,
      `Pass the result on to ${asked}. Do not begin again what you were first told to do.`,
    ].join("\n\n"),
  );
}

export interface Ended {
  task_id: string;
  status: string;
  content: string;
  /** What its worker said, or what went wrong. */
  result: string;
  /** Who fired the trigger, where that is known. */
  sender: string | null;
}

/** Which of the trigger's sessions: a name, never words for a model, so nothing stands around it. */
export function sessionKeyOf(occasion: Occasion): string {
  const key = fill(occasion.trigger.session_key ?? "", occasion, (text) => text);
  return key.trim().slice(0, MOST_KEY).toWellFormed() || DEFAULT_SESSION;
}
