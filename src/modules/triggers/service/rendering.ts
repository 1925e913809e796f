/**
 * The words that a trigger says. Placeholders are filled in once, so what is filled in is never looked through again;
 * whatever came from outside stands between marks that it cannot know, with a sentence that says it is data.
 */
import { join } from "node:path";
import type { Config } from "../../../config.ts";
import { ParleyError } from "../../../errors.ts";
import { readOwn } from "../../../local/rights.ts";
import { cut } from "../../../text.ts";
import { Boundary } from "../../../untrusted.ts";
import { DEFAULT_SESSION } from "../schema.ts";
import type { TriggerRow } from "../tables.ts";
import { type Payload, valueAt } from "./payload.ts";

export interface Occasion {
  trigger: Pick<TriggerRow, "name" | "channel" | "prompt" | "session_key">;
  payload: Payload | undefined;
  sender: string;
  now: number;
}

const PLACEHOLDER = /\{\{\s*(payload(?:\.[A-Za-z0-9_$:-]+)*|sender|trigger_name|channel|now)\s*\}\}/g;
const MOST_KEY = 200;
const MOST_BRIEF = 4000;
const MOST_FILE = 100_000;

/** What is written with the trigger, else in its file, else that it was fired. */
export function promptOf(config: Config, { name, prompt }: Occasion["trigger"]): string | undefined {
  if (prompt !== null && prompt.trim() !== "") return prompt;
  try {
    // A trigger's name is no path: it has neither dots nor slashes.
    const text = readOwn(join(config.home, "triggers", `${name}.md`)).slice(0, MOST_FILE);
    return text.trim() === "" ? undefined : text.trimEnd();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new ParleyError(
      "CONFLICT",
      `What trigger '${name}' says cannot be read from triggers/${name}.md in the data folder: ${message}. It has to be a file of the hub's own, and no link.`,
      { cause: error },
    );
  }
}

export function render(template: string | undefined, occasion: Occasion): string {
  const { trigger, payload } = occasion;
  const boundary = new Boundary(`came with trigger '${trigger.name}' from outside`, payload?.payload ?? "");
  if (template === undefined) {
    const fired = `Trigger '${trigger.name}' was fired.`;
    return payload && payload.payload !== ""
      ? boundary.explained(`${fired}\n\n${boundary.around(payload.payload)}`)
      : fired;
  }
  const filled = template.replace(PLACEHOLDER, (_, name: string) =>
    name.startsWith("payload") ? boundary.around(payloadAt(payload, name)) : plain(name, occasion),
  );
  return boundary.explained(filled);
}

/** Nothing, where nothing came or there is nothing at that place. */
function payloadAt(payload: Payload | undefined, name: string): string {
  if (payload === undefined) return "";
  return name === "payload" ? payload.payload : (valueAt(payload, name.slice("payload.".length)) ?? "");
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
  const { trigger, payload } = occasion;
  const key = (trigger.session_key ?? "").replace(PLACEHOLDER, (_, name: string) =>
    name.startsWith("payload") ? payloadAt(payload, name) : plain(name, occasion),
  );
  return key.trim().slice(0, MOST_KEY).toWellFormed() || DEFAULT_SESSION;
}
