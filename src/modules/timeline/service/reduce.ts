/**
 * What people see of an agent, as a pure function of what happened: ids and times come from the events, an event that
 * changes nothing gives back the very same state, and the same events give the same state whenever they are folded. The
 * rows of `timeline` are the same fold, one step at a time; what was said is not among them, since it stands in the chat.
 */
import type { AskedQuestion, CallApproval, CallOutcome, MadeTask, Outcome, RunStatus } from "../schema.ts";
import type { Entry } from "./entries.ts";

interface BaseItem {
  /** Where it stands, for good: a position in the space's feed. */
  id: number;
  /** By what it is found again. */
  key: string;
  /** The event that made it what it is. */
  changed_id: number;
}

export interface MessageItem extends BaseItem {
  kind: "UserMessage" | "AssistantMarkdown";
  author_principal: string;
  mime: string;
  content: string;
}

export interface ToolItem extends BaseItem {
  kind: "Tool";
  content_kind: "Exec" | "Json";
  turn_id: number | null;
  call_id: string;
  tool: string;
  called_by: string | null;
  arguments: string;
  outcome: CallOutcome | null;
  output: string | null;
  /** The event of its output. */
  ended_id: number | null;
  approval: CallApproval | null;
  /** The event of what a person decided, where one was asked. */
  decided_id: number | null;
}

export interface QuestionItem extends BaseItem, AskedQuestion {
  kind: "Question";
}

export interface TaskItem extends BaseItem, MadeTask {
  kind: "Task";
}

export interface EndTurnItem extends BaseItem {
  kind: "EndTurn";
  turn_id: number | null;
  outcome: Outcome | null;
  error: string | null;
  cost_usd: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
}

export interface NoticeItem extends BaseItem {
  kind: "Notice";
  content: string;
}

export type FoldItem = MessageItem | ToolItem | QuestionItem | TaskItem | EndTurnItem | NoticeItem;

export interface Run {
  turn_id: number;
  status: RunStatus;
  outcome: Outcome | null;
}

export interface UiState {
  /** The event that last changed it: it grows with each, and means the same on every node. */
  seq: number;
  run: Run | null;
  /** By id. */
  items: readonly FoldItem[];
}

export const EMPTY: UiState = { seq: 0, run: null, items: [] };

/** One step. */
export const reduce = (state: UiState, entry: Entry): UiState => fold(state, [entry]);

/** Many steps at the price of one copy. */
export function fold(state: UiState, entries: Iterable<Entry>): UiState {
  let draft: Draft | undefined;
  let { seq, run } = state;
  for (const entry of entries) {
    const next = runAfter(run, entry);
    const key = keyOf(entry);
    draft ??= key === undefined ? undefined : new Draft(state.items);
    const item = key === undefined ? undefined : itemAfter(draft?.find(key), entry);
    if (next === run && item === undefined) continue;
    if (item) draft?.put(item);
    run = next;
    seq = entry.id;
  }
  return seq === state.seq && run === state.run ? state : { seq, run, items: draft?.items ?? state.items };
}

/** Chat and the loop have no item for the tool: what was said is one, and so is the end of the turn. */
const isQuiet = (tool: string): boolean => /^(chat|loop)_|^ui_(send_message|end_turn)$|^ui_chat_/.test(tool);

/** As what a call is noted whose turn ended before it did. */
const NEVER_CAME: readonly CallOutcome[] = ["aborted", "interrupted"];

/** The item that an event may make or change; undefined where there is none. */
export function keyOf(entry: Entry): string | undefined {
  switch (entry.type) {
    case "UserText":
    case "AssistantText":
      return `chat:${entry.chat_id}`;
    case "ToolCall":
      return isQuiet(entry.tool) ? undefined : `call:${entry.call_id}`;
    case "Called":
    case "ToolOutput":
    case "Approval":
      return `call:${entry.call_id}`;
    case "Question":
      return `question:${entry.question_id}`;
    case "Task":
      return `task:${entry.task_id}`;
    case "Yielded":
    case "TurnEnded":
      return `turn:${entry.turn_id}`;
    case "Notice":
    case "Resumed":
      return `notice:${entry.id}`;
    default:
      return undefined;
  }
}

/** What becomes of it; undefined where nothing does. */
export function itemAfter(before: FoldItem | undefined, entry: Entry): FoldItem | undefined {
  const changed_id = entry.id;
  // Told once more: it is that already, or more.
  if (before && changed_id <= before.changed_id) return undefined;
  switch (entry.type) {
    case "UserText":
    case "AssistantText": {
      if (before) return undefined;
      const { chat_id: id, author: author_principal, mime, content } = entry;
      const kind = entry.type === "UserText" ? "UserMessage" : "AssistantMarkdown";
      return { id, key: `chat:${id}`, changed_id: id, kind, author_principal, mime, content };
    }
    case "ToolCall":
    case "Called":
      return before ? undefined : calledIn(entry);
    case "ToolOutput":
      // What came after all takes the place of the sentence that nothing did.
      if (before?.kind !== "Tool" || !(before.outcome === null || NEVER_CAME.includes(before.outcome)))
        return undefined;
      return { ...before, changed_id, ended_id: changed_id, outcome: entry.outcome, output: entry.output };
    case "Approval":
      return before?.kind === "Tool" ? askedAbout(before, entry) : undefined;
    case "Question":
    case "Task":
      return followed(before, entry);
    case "Yielded":
      return before ? undefined : endTurn(entry);
    case "TurnEnded":
      if (before && (before.kind !== "EndTurn" || before.outcome !== null)) return undefined;
      return { ...(before ?? endTurn(entry)), ...endingOf(entry), changed_id };
    case "Notice":
    case "Resumed": {
      const content = entry.type === "Notice" ? entry.text : `Resumed by ${entry.by}.`;
      return before ? undefined : { id: entry.id, key: `notice:${entry.id}`, changed_id, kind: "Notice", content };
    }
    default:
      return undefined;
  }
}

function calledIn(entry: Entry & { type: "ToolCall" | "Called" }): ToolItem {
  const { id, turn_id, call_id, tool, content_kind = "Json", arguments: args } = entry;
  const own = {
    id,
    key: `call:${call_id}`,
    changed_id: id,
    kind: "Tool",
    content_kind,
    turn_id,
    call_id,
    tool,
  } as const;
  const called_by = entry.type === "Called" ? entry.by : null;
  return { ...own, called_by, arguments: args, ...NOT_YET };
}

const NOT_YET = { outcome: null, output: null, ended_id: null, approval: null, decided_id: null };

function askedAbout(before: ToolItem, { id: changed_id, approval }: Entry & { type: "Approval" }): ToolItem {
  const isDecided = before.approval?.state === "pending" && approval.state !== "pending";
  const decided_id = isDecided ? changed_id : before.decided_id;
  // Where it was decided is not in what was noted before that was kept.
  return { ...before, changed_id, decided_id, approval: { ...approval, decided_via: approval.decided_via ?? null } };
}

/** Each time it is told as a whole; it stays where it was first told of. */
function followed(before: FoldItem | undefined, entry: Entry & { type: "Question" | "Task" }): FoldItem {
  const { id: changed_id, turn_id: _, type: kind, ...facts } = entry;
  const { id = changed_id, key = keyOf(entry) ?? "" } = before ?? {};
  return { id, key, changed_id, kind, ...facts } as QuestionItem | TaskItem;
}

const NO_ENDING = { outcome: null, error: null, cost_usd: null, input_tokens: null, output_tokens: null };

const endTurn = ({ id, turn_id }: Entry): EndTurnItem => ({
  ...{ id, key: `turn:${turn_id}`, changed_id: id, kind: "EndTurn", turn_id },
  ...NO_ENDING,
});

function endingOf(entry: Entry & { type: "TurnEnded" }) {
  const { outcome, error = null, cost_usd = null, input_tokens = null, output_tokens = null } = entry;
  return { outcome, error, cost_usd, input_tokens, output_tokens };
}

/** A person's abort is an end like another; that a turn failed, or was cut off, is an error. */
export const statusOf = (outcome: Outcome): RunStatus =>
  outcome === "finished" || outcome === "aborted" ? "finished" : "error";

function runAfter(run: Run | null, entry: Entry): Run | null {
  if (entry.type === "TurnStarted") return { turn_id: entry.id, status: "starting", outcome: null };
  if (run === null || entry.turn_id !== run.turn_id) return run;
  if (entry.type === "TurnEnded")
    return run.outcome === null ? { ...run, status: statusOf(entry.outcome), outcome: entry.outcome } : run;
  if (entry.type === "Approval") return awaiting(run, entry.waiting);
  const answered = entry.type === "ModelText" || entry.type === "ToolCall";
  return answered && run.status === "starting" ? { ...run, status: "running" } : run;
}

/** How a turn is of which so many calls wait for a person; undefined where it is over. */
export const statusWaiting = (waiting: number | null): RunStatus | undefined =>
  waiting === null ? undefined : waiting > 0 ? "awaiting_approval" : "running";

function awaiting(run: Run, waiting: number | null): Run {
  const status = statusWaiting(waiting);
  return status === undefined || run.outcome !== null || status === run.status ? run : { ...run, status };
}

/** Items in their order, while they are being changed. */
class Draft {
  readonly items: FoldItem[];
  readonly #at = new Map<string, number>();

  constructor(items: readonly FoldItem[]) {
    this.items = [...items];
    for (const [at, { key }] of items.entries()) this.#at.set(key, at);
  }

  find(key: string): FoldItem | undefined {
    const at = this.#at.get(key);
    return at === undefined ? undefined : this.items[at];
  }

  put(item: FoldItem): void {
    const known = this.#at.get(item.key);
    if (known !== undefined) this.items[known] = item;
    else this.#insert(item);
  }

  /** Mostly it is the newest. */
  #insert(item: FoldItem): void {
    let at = this.items.length;
    while (at > 0 && (this.items[at - 1]?.id ?? 0) > item.id) at -= 1;
    this.items.splice(at, 0, item);
    for (let moved = at; moved < this.items.length; moved += 1) this.#at.set(this.items[moved]?.key ?? "", moved);
  }
}
