/** What a row of Atlas becomes here, or why it becomes nothing. */
import type { Input } from "../core/tool-types.ts";
import type { Atlas, Row } from "./atlas-file.ts";

export type ImportedTask = Input<"task_import">["tasks"][number];
export type NewTrigger = Input<"trigger_create">;

/** What was not taken, and why. */
export interface Left {
  what: "message" | "trigger" | "await" | "session" | "runs";
  name: string;
  reason: string;
}

const MOST_CONTENT_BYTES = 2 * 1024 * 1024;
const CHANNEL = /^[a-z][a-z0-9_-]{0,39}$/;
/** Of a character of two parts, the first. */
const HALF_AT_END = /[\ud800-\udbff]$/;
const STATUSES = ["pending", "processing", "done", "cancelled"];

const textOf = (value: unknown): string => (value === null || value === undefined ? "" : String(value));
const textOrNull = (value: unknown): string | null => (textOf(value) === "" ? null : textOf(value));

/** SQLite's own form has no zone, and means UTC. */
function timeOf(value: unknown): string | null {
  const text = textOf(value);
  const iso = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/.test(text) ? `${text.replace(" ", "T")}Z` : text;
  const at = Date.parse(iso);
  return text === "" || Number.isNaN(at) ? null : new Date(at).toISOString();
}

export function taskOf(row: Row, awaits: Atlas["task_awaits"]): ImportedTask | string {
  const { id, channel, sender, content, status, response_summary } = row;
  const created_at = timeOf(row.created_at);
  const before = textOf(status);
  if (created_at === null) return `its created_at is not a time: ${JSON.stringify(row.created_at)}`;
  if (!STATUSES.includes(before)) return `its status ${JSON.stringify(status)} is unknown`;
  if (!CHANNEL.test(textOf(channel))) return `its channel ${JSON.stringify(channel)} is not the name of a channel`;
  if (textOf(content).trim() === "") return "it says nothing";
  if (Buffer.byteLength(textOf(content)) > MOST_CONTENT_BYTES) return "it has more than 2 MiB";
  const isOver = before === "done" || before === "cancelled";
  return {
    // Ids of two databases are the same, times hardly.
    source_key: `atlas:${id}:${created_at}`,
    channel: textOf(channel),
    sender: textOrNull(sender)?.slice(0, 200).replace(HALF_AT_END, "") ?? null,
    content: textOf(content),
    // Whoever worked on it there does not go on with it here.
    status: before === "done" || before === "cancelled" ? before : "pending",
    response_summary: isOver ? textOrNull(response_summary) : null,
    created_at,
    processed_at: isOver ? (timeOf(row.processed_at) ?? created_at) : null,
    awaits: isOver ? [] : awaits.filter(({ task_id }) => task_id === id).map(awaitOf),
  };
}

const awaitOf = ({ trigger_name, session_key }: Row): ImportedTask["awaits"][number] => ({
  trigger_name: textOf(trigger_name),
  session_key: textOf(session_key) || "_default",
});

/** What a trigger did there: its history here begins with its first run here. Undefined where it did nothing. */
export function runsOf({ name, last_run, run_count }: Row): Left | undefined {
  const [many, last] = [Number(textOf(run_count)) || 0, timeOf(last_run)];
  if (many === 0 && last === null) return undefined;
  const which = [many === 1 ? "1 run" : `${many} runs`, ...(last === null ? [] : [`the last at ${last}`])].join(", ");
  return { what: "runs", name: textOf(name), reason: `${which}: they are counted anew here` };
}

export function triggerOf(row: Row): NewTrigger {
  const optional = { description: row.description, schedule: row.schedule, prompt: row.prompt };
  const given = Object.entries({ ...optional, webhook_secret: row.webhook_secret }).flatMap(([name, value]) =>
    textOf(value) === "" ? [] : [[name, textOf(value)]],
  );
  return {
    name: textOf(row.name),
    // What is neither is for the hub to refuse, with its sentence.
    type: textOf(row.type) as NewTrigger["type"],
    channel: textOf(row.channel) || "internal",
    session_mode: row.session_mode === "persistent" ? "persistent" : "ephemeral",
    enabled: Number(row.enabled) !== 0,
    ...Object.fromEntries(given),
  };
}
