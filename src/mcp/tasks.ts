/**
 * The extension io.modelcontextprotocol/tasks, for every tool that waits. A task is a stored question, not something that
 * runs: `tasks/get`, on any node, asks the tool again and is held open while nothing has come. It is stored before it is
 * told, survives the hub, ends once and is kept for a while then. Ours and not the SDK's, which knows no such result.
 */
import { randomBytes } from "node:crypto";
import type { CallToolResult, JSONRPCRequest, Result } from "@modelcontextprotocol/server";
import { type Actor, has, transact } from "../context.ts";
import { type ErrorBody, errorBody, ParleyError } from "../errors.ts";
import type { Hub } from "../hub.ts";
import { checkText } from "../text.ts";
import type { Tool, Waits } from "../tool.ts";
import { checkParams } from "./params.ts";
import { failed, failedWith, found } from "./results.ts";
import { declaresForms, fill, inputRequired, noteShown, openForm } from "./tasks/input.ts";
import { planSweep } from "./tasks/retention.ts";
import * as store from "./tasks/store.ts";

export const TASKS = "io.modelcontextprotocol/tasks";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** How long a request is held open: clients and proxies give up on one that is silent for a minute. */
const HOLD_MS = 45_000;
/** Between two requests; a little different each time, so that those of many do not come at once. */
const POLL_MS = 500;
const TOUCH_MS = 3_600_000;
const MOST_TASKS = 32;

/** What the answer to a task turned out to be, as it is stored. */
type Outcome = { output: object } | { error: ErrorBody };

export interface Asking {
  actor: Actor;
  /** Aborted when whoever asks has gone. */
  signal: AbortSignal;
}

type Waiting = Tool & { waits: Waits };

export class Tasks {
  readonly #hub: Hub;
  /** Requests that are held open on this node, by task: how to have them look again. */
  readonly #held = new Map<string, Set<AbortController>>();

  constructor(hub: Hub) {
    this.#hub = hub;
  }

  /** Undefined for what is none of this extension's, or whose sender does not know it. */
  answer(message: JSONRPCRequest, asking: Asking): Promise<Result> | undefined {
    const { method, params = {} } = message;
    if (method === "tools/call") return this.#answerCall(message, asking);
    if (!METHODS.has(method)) return undefined;
    checkParams(method, params);
    const id = String(params.taskId);
    if (method === "tasks/get") return this.#get(id, asking);
    if (method === "tasks/cancel") return this.#cancel(id, asking);
    return this.#update(id, params.inputResponses, asking);
  }

  #answerCall({ method, params }: JSONRPCRequest, asking: Asking): Promise<Result> | undefined {
    if (!declaresTasks(params)) return undefined;
    checkParams(method, params);
    const tool = this.#hub.tools.find(String(params?.name));
    const calling = { ...asking, forms: declaresForms(params) };
    return isWaiting(tool) ? this.#call(tool, params?.arguments ?? {}, calling) : undefined;
  }

  /** What the tool finds at once; a task where it would wait. */
  async #call(tool: Waiting, args: unknown, { actor, signal, forms }: Asking & { forms: boolean }): Promise<Result> {
    let waits = false;
    try {
      await this.#refuseMany(tool, args, actor);
      const onwait = (): void => {
        waits = true;
      };
      const output = await this.#hub.call(actor, tool, args, { door: "mcp", signal, longest_wait_ms: 0, onwait });
      // It is what this tool's own `run` gave.
      if (!waits || !tool.waits.isPending(output as never)) return found(output);
      const form = forms && tool.waits.form ? ("due" as const) : null;
      return { resultType: "task", ...wireOf(await this.#create({ tool, args, form }, actor)) };
    } catch (error) {
      if (error instanceof ParleyError) return failedWith(error);
      throw error;
    }
  }

  /** Before the tool looks for anything, which costs far more: whoever asks too often is refused each time. */
  async #refuseMany(tool: Waiting, args: unknown, actor: Actor): Promise<void> {
    // A place is looked for before the call itself is checked.
    checkText(args);
    const asked = tool.input.safeParse(args);
    if (!asked.success) return;
    const { db } = this.#hub.ctx(actor);
    const owner = ownerOf(actor);
    if ((await store.countWorking(db, owner)) < MOST_TASKS) return;
    const place = placeOf(tool, asked.data);
    if (place !== null && (await store.listInPlace(db, { ...owner, tool: tool.name, place })).length > 0) return;
    this.#hub.limit.take(actor.principal_id);
    const { principal_id: principal, name: agent } = actor;
    this.#hub.audit.event({ op: tool.name, door: "mcp", principal, agent, result: "TOO_MANY_WAITS" });
    throw tooMany();
  }

  async #create(
    { tool, args, form }: { tool: Waiting; args: unknown; form: store.WaitRow["form"] },
    actor: Actor,
  ): Promise<store.WaitRow> {
    const owner = ownerOf(actor);
    const place = placeOf(tool, tool.input.parse(args));
    const [row, replaced] = await transact(this.#hub.ctx(actor), async (ctx) => {
      const now = new Date(ctx.now()).toISOString();
      const id = randomBytes(16).toString("base64url");
      const replaced = place === null ? [] : await store.listInPlace(ctx.tx, { ...owner, tool: tool.name, place });
      for (const id of replaced)
        await store.endWaitIn(ctx.tx, { id, state: "completed", result: JSON.stringify(SUPERSEDED), now });
      if ((await store.countWorking(ctx.tx, owner)) >= MOST_TASKS) throw tooMany();
      const asked = { tool: tool.name, arguments: JSON.stringify(args), place };
      const times = { created_at: now, touched_at: now };
      const row: store.WaitRow = { id, ...owner, ...asked, state: "working", form, result: null, ...times };
      await store.insertWait(ctx.tx, row);
      await planSweep(ctx);
      return [row, replaced] as const;
    });
    for (const id of replaced) this.#wake(id);
    return row;
  }

  async #get(id: string, asking: Asking): Promise<Result> {
    const { actor, signal } = asking;
    const row = await this.#own(id, actor);
    if (row.state === "working") {
      await this.#touch(row);
      const form = (await noteShown(this.#hub, row)) ? await openForm(this.#hub, row, actor) : undefined;
      if (form) return { ...wireOf(row), ...inputRequired(form) };
      const outcome = await this.#ask(row, asking);
      // Whoever has gone is shown nothing: it will ask again, and so will the tool be.
      if (outcome && !signal.aborted) await this.#end(id, { state: "completed", result: JSON.stringify(outcome) });
    }
    const now = row.state === "working" ? await this.#own(id, actor) : row;
    const form = await openForm(this.#hub, now, actor);
    if (form) return { ...wireOf(now), ...inputRequired(form) };
    return { ...wireOf(now), ...(now.state === "completed" && { result: await this.#hand(now, asking) }) };
  }

  /** Nothing while it has to be waited for: until something comes, the request has been held for long enough, or the hub stops. */
  async #ask(row: store.WaitRow, { actor, signal }: Asking): Promise<Outcome | undefined> {
    using held = this.#hold(row.id);
    try {
      const tool = this.#hub.tools.find(row.tool);
      const output = await this.#hub.call(actor, tool, JSON.parse(row.arguments), {
        door: "mcp",
        signal: AbortSignal.any([signal, held.signal]),
        longest_wait_ms: HOLD_MS,
        kept: true,
        goes_on: true,
      });
      // It is what this tool's own `run` gave.
      return tool.waits?.isPending(output as never) ? undefined : { output };
    } catch (error) {
      if (!(error instanceof ParleyError) || error.kind === "unauthenticated") throw error;
      const passing = error.kind === "limited" || error.kind === "unavailable";
      return passing ? undefined : { error: errorBody(error) };
    }
  }

  /** The result, noted as handed out: it is stored by now, so that whoever does not get it can ask again. */
  async #hand({ id, tool: name, result }: store.WaitRow, { actor, signal }: Asking): Promise<Result> {
    // Written by us.
    const outcome = JSON.parse(result ?? "{}") as Outcome;
    if ("error" in outcome) return failed(outcome.error);
    const handed = this.#hub.tools.find(name).waits?.handed;
    const how = { channel: "mcp-task", proof: `tasks/get ${id.slice(0, 8)}` };
    if (!signal.aborted && !("superseded" in outcome.output))
      await handed?.(this.#hub.ctx(actor), outcome.output as never, how);
    return withoutTags(found(outcome.output));
  }

  /** Whoever sits there has filled in the form of the task, or put it away. */
  async #update(id: string, responses: unknown, { actor }: Asking): Promise<Result> {
    const row = await this.#own(id, actor);
    await fill(this.#hub, row, { actor, responses });
    return {};
  }

  /** May come twice, and late: one that has ended stays as it is. */
  async #cancel(id: string, { actor }: Asking): Promise<Result> {
    await this.#own(id, actor);
    await this.#end(id, { state: "cancelled", result: null });
    return {};
  }

  async #end(id: string, ending: { state: "completed" | "cancelled"; result: string | null }): Promise<void> {
    const { database } = this.#hub;
    const now = new Date(database.now()).toISOString();
    if (await store.endWait(database, { id, ...ending, now })) this.#wake(id);
  }

  async #touch({ id, touched_at }: store.WaitRow): Promise<void> {
    const { database } = this.#hub;
    if (database.now() - Date.parse(touched_at) < TOUCH_MS) return;
    await store.touchWait(database, { id, now: new Date(database.now()).toISOString() });
  }

  /** Somebody else's looks like one that never was. */
  async #own(id: string, actor: Actor): Promise<store.WaitRow> {
    this.#hub.limit.take(actor.principal_id);
    const row = await store.findWait(this.#hub.database, id);
    const owner = ownerOf(actor);
    const isOwn =
      row?.space_id === owner.space_id && row.principal_id === owner.principal_id && row.acting === owner.acting;
    if (row && isOwn) return row;
    throw new ParleyError("UNKNOWN_TASK", "There is no such task. It was never there, or ended more than 30 days ago.");
  }

  #hold(id: string): { signal: AbortSignal } & Disposable {
    const controller = new AbortController();
    const all = this.#held.get(id) ?? new Set();
    this.#held.set(id, all.add(controller));
    return {
      signal: controller.signal,
      [Symbol.dispose]: () => {
        all.delete(controller);
        if (all.size === 0) this.#held.delete(id);
      },
    };
  }

  #wake(id: string): void {
    for (const controller of this.#held.get(id) ?? []) controller.abort();
  }
}

const METHODS = new Set(["tasks/get", "tasks/cancel", "tasks/update"]);

const SUPERSEDED: Outcome = {
  output: {
    superseded: true,
    note: "A later wait of yours took the place of this one and goes on. There is nothing to do about this one.",
  },
};

/** Clients show the text between tags of theirs, which a mail could close. As JSON has it, it is the same text. */
const withoutTags = ({ content, ...result }: CallToolResult): CallToolResult => ({
  ...result,
  content: content.map((part) =>
    part.type === "text" ? { ...part, text: part.text.replaceAll("<", "\\u003c").replaceAll(">", "\\u003e") } : part,
  ),
});

/** Where one takes the place of another. The arguments are what the tool's own schema made of them. */
const placeOf = ({ waits }: Waiting, args: unknown): string | null => waits.place?.(args as never) ?? null;

const isWaiting = (tool: Tool): tool is Waiting => tool.waits !== undefined;

const tooMany = (): ParleyError =>
  new ParleyError("TOO_MANY_WAITS", `You wait for ${MOST_TASKS} things already. Cancel one first.`);

function ownerOf(actor: Actor): store.Owner {
  const acting = has(actor, "orchestrator") ? (actor.caller_agent ?? "") : "";
  return { space_id: actor.space_id, principal_id: actor.principal_id, acting };
}

const wireOf = ({ id, state, created_at, touched_at }: store.WaitRow): Result => ({
  taskId: id,
  status: state,
  createdAt: created_at,
  lastUpdatedAt: touched_at,
  ttlMs: null,
  pollIntervalMs: POLL_MS + Math.floor(Math.random() * POLL_MS),
});

/** Said anew with every request: the same program does so in a session of a person, and not in one without. */
function declaresTasks(params: JSONRPCRequest["params"]): boolean {
  const declared: unknown = params?._meta?.[CAPABILITIES];
  const extensions = isObject(declared) ? declared.extensions : undefined;
  return isObject(extensions) && isObject(extensions[TASKS]);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
