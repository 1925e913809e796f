import type { SessionUpdate, ToolCallContent, ToolCallUpdate } from "@agentclientprotocol/sdk";
import { z } from "zod";
import type { ProgramReport, Usage } from "./program.ts";
import { Tokens } from "./telling.ts";

/** The server as it is handed to the session: agents put it before the names of its tools, each in its own way. */
const OURS = /^(Tool: )?(mcp__)?parley(__|[./])(?=[a-z_]+$)/;
/** More than a turn may have. */
const MOST_KNOWN = 5000;

/** What is known of a call so far. */
interface KnownCall {
  name: string | undefined;
  title: string | undefined;
  kind: string | undefined;
  rawInput: unknown;
}

/** What an agent says of its work in ACP, as it is told here: of a call it may say the name first and the rest bit by bit. */
export class AcpUpdates {
  readonly #report: ProgramReport;
  /** What the whole session has cost so far. */
  readonly #cost: (usd: number) => void;
  readonly #calls = new Map<string, KnownCall>();

  constructor(report: ProgramReport, cost: (usd: number) => void) {
    this.#report = report;
    this.#cost = cost;
  }

  take(update: SessionUpdate): void {
    if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
      this.#report.wrote(update.content.text);
    if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") this.#takeCall(update);
    if (update.sessionUpdate === "usage_update" && update.cost?.currency === "USD") this.#cost(update.cost.amount);
    // Thoughts, plans, modes and the like are its own matter.
  }

  /** All that is known of a call; from then on it is told, since somebody is asked about it. */
  about(call: ToolCallUpdate): KnownCall {
    const known = this.#merged(call);
    this.#tell(call.toolCallId, known);
    return known;
  }

  /** What is known of calls that were begun and came to nothing is told in the end. */
  end(): void {
    for (const [id, known] of this.#calls) this.#tell(id, known);
  }

  #takeCall(call: ToolCallUpdate): void {
    const known = this.#merged(call);
    const is_over = call.status === "completed" || call.status === "failed";
    if (is_over || rawInputOf(known)) this.#tell(call.toolCallId, known);
    if (is_over) this.#report.returned(call.toolCallId, resultOf(call));
  }

  #merged({ toolCallId, name, title, kind, rawInput }: ToolCallUpdate): KnownCall {
    const before = this.#calls.get(toolCallId);
    const known = {
      name: name ?? before?.name,
      title: title ?? before?.title,
      kind: kind ?? before?.kind,
      rawInput: rawInput ?? before?.rawInput,
    };
    if (before || this.#calls.size < MOST_KNOWN) this.#calls.set(toolCallId, known);
    return known;
  }

  #tell(id: string, known: KnownCall): void {
    const args = rawInputOf(known) ?? { title: known.title ?? "" };
    this.#report.called({ id, tool: toolOf(known), arguments: JSON.stringify(args) });
  }
}

/**
 * Whether it is the hub's own tool, by its whole name: a part of one may be what a model has written. So may all of it be
 * where the title of a command that is to be run, or of a file that is to be changed, is just that.
 */
export const isHubTool = ({ name, title, kind = "other" }: KnownCall): boolean =>
  OURS.test(name ?? (kind === "other" ? (title ?? "") : ""));

/** What it is called by programs, where the agent says so; else what kind of thing it does. */
export function toolOf(told: KnownCall): string {
  const { name, title, kind } = told;
  return isHubTool(told) ? (name ?? title ?? "").replace(OURS, "") : name || (kind ?? "other");
}

/** Undefined where the agent does not give them. */
export const rawInputOf = ({ rawInput }: KnownCall): object | undefined =>
  typeof rawInput === "object" && rawInput !== null && !Array.isArray(rawInput) && Object.keys(rawInput).length > 0
    ? rawInput
    : undefined;

/** Not a part of the protocol yet: what has no such place, or fills it oddly, has told nothing. */
const Used = z.object({
  usage: z.object({
    ...{ inputTokens: Tokens, cachedReadTokens: Tokens, cachedWriteTokens: Tokens },
    ...{ outputTokens: Tokens, thoughtTokens: Tokens },
  }),
});

/** What a prompt has used, as far as its answer says so. */
export function tokensIn(answer: object): Usage {
  const read = Used.safeParse(answer);
  if (!read.success) return {};
  const { inputTokens, cachedReadTokens, cachedWriteTokens, outputTokens, thoughtTokens } = read.data.usage;
  return {
    input_tokens: (inputTokens ?? 0) + (cachedReadTokens ?? 0) + (cachedWriteTokens ?? 0),
    output_tokens: (outputTokens ?? 0) + (thoughtTokens ?? 0),
  };
}

function resultOf({ status, content, rawOutput }: ToolCallUpdate): { outcome: "done" | "failed"; output: string } {
  const text = (content ?? []).map(textOf).filter(Boolean).join("\n");
  const raw = typeof rawOutput === "string" ? rawOutput : rawOutput === undefined ? "" : JSON.stringify(rawOutput);
  return { outcome: status === "completed" ? "done" : "failed", output: text || raw };
}

function textOf(content: ToolCallContent): string {
  if (content.type === "diff") return `Changed ${content.path}`;
  if (content.type !== "content") return "";
  return content.content.type === "text" ? content.content.text : `(${content.content.type})`;
}
