/**
 * What an agent program tells of its work, on its way into the log: in order, a few calls of the hub for many of its, and
 * no more than a turn may have. Its permission requests become approvals here, as everybody's do.
 */
import { HubError } from "../client/index.ts";
import type { Mask } from "../local/secrets.ts";
import type { LogEvent, NewEvent } from "../modules/timeline/index.ts";
import { cut } from "../text.ts";
import { clean } from "./answer.ts";
import type { ModelCall } from "./drivers/driver.ts";
import type { Permission, PermissionRequest, ProgramCall, ProgramReport, Usage } from "./drivers/program.ts";
import { TurnFailed } from "./failed.ts";
import type { Requested } from "./policy-gate.ts";
import type { RetryingPort } from "./port.ts";
import type { Spending } from "./spending.ts";

const MOST_TEXT = 500_000;
/** One that tells more than that in one answer is not read on. */
const MOST_CHARACTERS = 16 * 1024 * 1024;
const MOST_CALLS = 2000;
const A_BATCH = 50;
const PAGE = 500;
const WAIT_SECONDS = 25;
const WITHDRAW_MS = 2000;
/** A denial that ends the turn. */
const ENDS_TURN = -32950;
/** The hub takes a little more of arguments. What is longer nobody reads through: people see how it begins. */
const MOST_ARGUMENTS = 90_000;
const MOST_SHOWN = 7000;
const LONG = "The arguments are too long to be shown as a whole.";
const SECRET_HIDDEN = "A secret in the arguments is not shown.";
const ALL_HIDDEN = "The arguments are not shown, for a secret in them.";

interface Parts {
  turn_id: string;
  seen_id: string;
  /** Which answer of the turn it begins with. */
  sample: number;
  port: RetryingPort;
  record: (events: NewEvent[]) => Promise<void>;
  spending: Pick<Spending, "add">;
  /** What nobody is to read is taken out of all of it. */
  mask: Mask;
  /** Of the turn. */
  signal: AbortSignal;
}

export class Journal implements ProgramReport {
  readonly #parts: Parts;
  readonly #failing = new AbortController();
  /** Of the turn, and of what fails here. */
  readonly signal: AbortSignal;
  readonly #calls = new Map<string, string>();
  readonly #open = new Set<string>();
  #sample: number;
  #text = "";
  #characters = 0;
  #texts = 0;
  #asked = 0;
  #news: NewEvent[] = [];
  #writing: Promise<void> | undefined;
  #is_over = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#sample = parts.sample;
    this.signal = AbortSignal.any([parts.signal, this.#failing.signal]);
  }

  /** Why the program is not to go on, where that was found here. */
  get failure(): unknown {
    return this.#failing.signal.reason;
  }

  /** How many answers the turn has had. */
  get samples(): number {
    return this.#sample + 1;
  }

  wrote(text: string): void {
    if (this.#is_over || !this.#fits(text.length)) return;
    // What comes behind a call is another answer.
    if (this.#text === "" && this.#calls.size > 0) this.#sample += 1;
    this.#text = (this.#text + text).slice(0, MOST_TEXT);
  }

  /** Told once more it is the same call. */
  called({ id, tool, arguments: args }: ProgramCall): void {
    if (this.#is_over || this.#calls.has(id)) return;
    if (this.#calls.size >= MOST_CALLS) this.#fail(new TurnFailed(`It made more than ${MOST_CALLS} calls.`));
    if (!this.#fits(args.length)) return;
    if (this.#text !== "") this.#flushText(false);
    const call_id = `${this.#parts.turn_id}-${this.#parts.sample}-${this.#calls.size}`;
    this.#calls.set(id, call_id);
    this.#open.add(id);
    const call: ModelCall = { call_id, tool: clean(tool).slice(0, 200) || "unknown", arguments: this.#kept(args) };
    this.#write({ type: "ToolCall", key: call_id, ...this.#at, ...call });
  }

  returned(id: string, { outcome, output }: { outcome: "done" | "failed"; output: string }): void {
    const call_id = this.#calls.get(id);
    if (this.#is_over || call_id === undefined || !this.#open.delete(id) || !this.#fits(output.length)) return;
    this.#write({ type: "ToolOutput", key: `${call_id}:output`, call_id, outcome, output: this.#kept(output) });
  }

  spent(usage: Usage): void {
    this.#parts.spending.add(usage);
  }

  async ask(request: PermissionRequest, signal: AbortSignal): Promise<Permission> {
    const ended = AbortSignal.any([this.signal, signal]);
    try {
      return await this.#decide(request, ended);
    } catch (error) {
      if (!ended.aborted) this.#fail(error);
      return { permission: "cancelled", says: "The turn is over." };
    }
  }

  /** Everything is in the log after that, and nothing more comes. What it said last was `redirected`, or is left at that. */
  async end({ redirected, is_put_off = false }: { redirected: boolean; is_put_off?: boolean }): Promise<void> {
    if (this.#is_over) return;
    // The hub learns from it what was taken, so there is one where nothing was said or done, too;
    // but not where it could not begin, and is asked again.
    const says_nothing = this.#calls.size === 0 && !is_put_off;
    if (this.#text !== "" || redirected || says_nothing) this.#flushText(redirected);
    this.#is_over = true;
    await this.#writing;
  }

  async #decide(request: PermissionRequest, signal: AbortSignal): Promise<Permission> {
    const { port } = this.#parts;
    this.#asked += 1;
    const key = `${this.#parts.turn_id}-${this.#parts.sample}-ask-${this.#asked}`;
    const asked = await port.call("approval_request", this.#requestOf(request, key), {
      cause: this.#parts.turn_id,
      signal,
    });
    let now = asked;
    try {
      while (now.state === "pending")
        now = await port.call("approval_wait", { id: asked.id, wait_seconds: WAIT_SECONDS }, { signal });
    } catch (error) {
      // The program runs it itself: with that gone, or the turn, nobody would.
      if (signal.aborted) await this.#withdraw(asked.id);
      throw error;
    }
    return this.#permissionOf(now, request);
  }

  #requestOf({ id, server, tool, about, can_allow, ...asked }: PermissionRequest, key: string) {
    const { mask } = this.#parts;
    const args = asked.arguments && JSON.stringify(asked.arguments);
    const shown = args && mask(args);
    const is_long = shown !== undefined && shown.length > MOST_ARGUMENTS;
    // What is not all shown is not all decided about, and nobody could write the rest of it.
    const is_whole = shown !== undefined && shown === args && !is_long;
    const partly = is_long ? { preview: cut(shown, MOST_SHOWN).toWellFormed() } : objectIn(shown ?? "{}");
    const kept = is_whole ? asked.arguments : partly;
    const hidden = is_long ? LONG : kept ? SECRET_HIDDEN : ALL_HIDDEN;
    const note = args === undefined ? "Arguments not given." : is_whole ? "" : hidden;
    const verdicts = [...(can_allow ? (["approve"] as const) : []), ...(["deny_continue", "deny_abort"] as const)];
    return {
      ...{ key, call_id: this.#calls.get(id) ?? key, server, tool: clean(tool).slice(0, 200) || "unknown" },
      arguments: kept ?? {},
      covers: is_whole ? ("arguments" as const) : ("preview" as const),
      ...{ executes: "client" as const, editable: is_whole && asked.can_edit === true, verdicts },
      about: [mask(about).slice(0, 1900), note].filter(Boolean).join("\n").toWellFormed(),
    };
  }

  #permissionOf(decided: Requested, { tool, takes_reason }: PermissionRequest): Permission {
    const { state, code, says, reason, edited, arguments: args } = decided;
    if (state === "answered") return { permission: "allow", says, ...(edited && isObject(args) && { edited: args }) };
    if (state !== "denied") return { permission: "cancelled", says };
    if (code === ENDS_TURN) this.#fail(new TurnFailed(`${clean(tool)} was denied, and with it the turn.`));
    // Where the protocol has no place for a reason, it is told with what comes next.
    else if (reason && !takes_reason) {
      const key = `${this.#parts.turn_id}-${this.#parts.sample}-reason-${this.#asked}`;
      this.#write({ type: "Notification", key, text: this.#kept(`${clean(tool)}: ${says}`) });
    }
    return { permission: "deny", says };
  }

  /** Not by the signal that ended the wait. */
  async #withdraw(id: string): Promise<void> {
    const signal = AbortSignal.timeout(WITHDRAW_MS);
    await this.#parts.port.call("approval_withdraw", { id }, { signal }).catch((error: unknown) => {
      // A hub that is away keeps it: the next runtime takes it back.
      if (!(error instanceof HubError) && !signal.aborted) throw error;
    });
  }

  get #at() {
    return { sample: this.#sample, seen_id: this.#parts.seen_id };
  }

  #flushText(redirected: boolean): void {
    this.#texts += 1;
    const key = `${this.#parts.turn_id}-${this.#parts.sample}-text-${this.#texts}`;
    this.#write({ type: "ModelText", key, ...this.#at, text: this.#kept(this.#text), redirected });
    this.#text = "";
  }

  #kept(text: string): string {
    return kept(this.#parts.mask(text));
  }

  #fits(length: number): boolean {
    this.#characters += length;
    if (this.#characters > MOST_CHARACTERS) this.#fail(new TurnFailed("It told more than a turn may have."));
    return !this.#failing.signal.aborted;
  }

  #write(event: NewEvent): void {
    this.#news.push(event);
    this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#news.length > 0) await this.#parts.record(this.#news.splice(0, A_BATCH));
    } catch (error) {
      this.#fail(error);
    } finally {
      // In one go with the last look at what there is.
      this.#writing = undefined;
    }
  }

  #fail(error: unknown): void {
    this.#failing.abort(error);
  }
}

/** Whether the program has ended the turn as a model does, or has said something to people in it. */
export async function hasEnded(port: RetryingPort, turn_id: string, signal: AbortSignal): Promise<boolean> {
  const has_yielded = await someSince(turn_id, async (before_id) => {
    const { events, has_more } = await port.call("runtime_log", { limit: PAGE, before_id }, { signal });
    // What `runtime_log` gives are the entries of a log.
    const entries = events as LogEvent[];
    return {
      ids: idsOf(events),
      has_more,
      is_so: entries.some((one) => one.type === "Yielded" && one.turn_id === turn_id),
    };
  });
  if (has_yielded) return true;
  return someSince(turn_id, async (before_id) => {
    const { messages, has_more } = await port.call("chat_read_before", { limit: PAGE, before_id }, { signal });
    const said = messages.filter(({ id }) => Number(id) > Number(turn_id));
    return { ids: idsOf(messages), has_more, is_so: said.some(({ author }) => author === "assistant") };
  });
}

type Look = (before_id: string | undefined) => Promise<{ ids: string[]; has_more: boolean; is_so: boolean }>;

/** From the newest page back to where the turn began: it may have made any number of entries since. */
async function someSince(turn_id: string, look: Look): Promise<boolean> {
  for (let before_id: string | undefined; ; ) {
    const { ids, has_more, is_so } = await look(before_id);
    if (is_so) return true;
    before_id = ids[0];
    if (!has_more || Number(before_id) <= Number(turn_id)) return false;
  }
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

/** Whether a call, or what was asked about one, was noted here: a hook of a client asks under names of its own. */
export const isJournalled = (call_id: string): boolean => /^\d+-\d+-(ask-)?\d+$/.test(call_id);

/** Undefined where the secret was more than a text in it, such as a number, and what is left is no JSON. */
function objectIn(text: string): object | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const kept = (text: string): string => clean(text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text);
