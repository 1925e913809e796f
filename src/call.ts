import type { Audit } from "./audit/index.ts";
import { type Actor, type Ctx, has, NOWHERE, type TxCtx, transact } from "./context.ts";
import { MeteredReader } from "./db/metered.ts";
import { ParleyError } from "./errors.ts";
import { declaredCause } from "./feed/causes.ts";
import type { Feed } from "./feed/feed.ts";
import { permitsFor, useUp } from "./guards.ts";
import { IdempotencyKey, isMade, once } from "./idempotency.ts";
import { fitTo } from "./issues.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { Guard, Permit } from "./module.ts";
import { costOfWork, type RateLimit } from "./rate-limit.ts";
import type { Streams } from "./streams.ts";
import { checkText, cut } from "./text.ts";
import { needsNamedSpace, type Tool } from "./tool.ts";
import { createWait } from "./waiting.ts";

export interface CallOptions {
  /** Which door it came through, for the audit and the metrics. */
  door: "http" | "mcp" | "internal";
  /** From the `Idempotency-Key` header; `idempotency_key` among the arguments means the same. */
  idempotency_key?: string | undefined;
  /** What led to the call, as its caller says: `X-Parley-Cause`, or `parley/cause` in the `_meta` of an MCP request. */
  cause?: string | undefined;
  /** Aborted when whoever asked has gone: a tool that waits then stops waiting. */
  signal?: AbortSignal | undefined;
  /** A tool that waits does so no longer than this. */
  longest_wait_ms?: number;
  /** Told when a tool has found nothing and begins to wait. */
  onwait?: () => void;
  /** The result is kept, and whoever hands it out later notes that it did. */
  kept?: boolean;
  /** It goes on with a call that was let through. */
  goes_on?: boolean;
}

/** Parses the arguments, checks the role and the rate, takes the key, runs the tool. Throws `ParleyError`. */
export type Call = (actor: Actor, tool: Tool, args: unknown, options: CallOptions) => Promise<object>;

interface Around {
  ctx: (actor: Actor) => Ctx;
  limit: RateLimit;
  metrics: Metrics;
  audit: Audit;
  log: Log;
  feed: Feed;
  streams: Streams;
  /** What modules note of whoever calls. */
  heard: readonly ((ctx: Ctx, tool: string) => Promise<void>)[];
  /** Who says whether a call may be made. */
  guards: readonly Guard[];
}

/** Puts around a tool what every door needs and no tool should repeat. */
export function createCall({ ctx, limit, metrics, audit, log, feed, streams, heard, guards }: Around): Call {
  const run = createRun(guards);
  return async (actor, tool, args, options) => {
    const started = performance.now();
    let result = "ok";
    let made: object | undefined;
    let reads: MeteredReader | undefined;
    const later: (() => Promise<unknown>)[] = [];
    try {
      limit.take(actor.principal_id);
      checkSpace(actor, tool);
      const outer = ctx(actor);
      reads = new MeteredReader(outer.db);
      const afterwards = (work: () => Promise<unknown>): void => void later.push(work);
      const own = { ...outer, db: reads, door: actor.via ?? options.door, afterwards };
      for (const note of heard) await note(own, tool.name);
      if (!tool.waits) {
        made = await run(own, tool, args ?? {}, options);
        return made;
      }
      const { signal, longest_wait_ms, onwait, kept, door } = options;
      const wait = createWait({ feed, streams, actor, signal, longest_wait_ms, onwait });
      const output = await run({ ...own, wait }, tool, args ?? {}, options);
      // It is what the tool's own `run` gave.
      if (!kept && !signal?.aborted)
        await tool.waits.handed?.(own, output as never, { channel: door, proof: `${tool.name} ${door}` });
      made = output;
      return output;
    } catch (error) {
      result = error instanceof ParleyError ? error.code : "INTERNAL";
      if (result === "INTERNAL")
        log.error("a tool failed", { op: tool.name, door: options.door, principal: actor.principal_id, error });
      throw error;
    } finally {
      for (const work of later)
        setImmediate(
          () => void work().catch((error) => log.warn("what follows a call failed", { op: tool.name, error })),
        );
      if (reads) limit.spend(actor.principal_id, costOfWork(reads.worked_ms));
      metrics.called(tool.name, options.door, result, (performance.now() - started) / 1000);
      if (tool.writes || AUDITED.includes(result)) {
        const known = Object.keys(tool.input.shape);
        audit.call({ actor, op: tool.name, door: options.door, args, known, result, id: idOf(made) });
      }
    }
  };
}

/** Refusals that are noted of reads too. */
const AUDITED = ["FORBIDDEN", "RATE_LIMITED", "CALL_DENIED", "TOOLS_OFF"];

const idOf = (made: object | undefined): string | undefined =>
  made && "id" in made && typeof made.id === "string" ? made.id : undefined;

/** Nothing is ever done in a space that the caller may not have meant. */
function checkSpace({ space_id, space_assumed }: Actor, { name, facets, spaceless }: Tool): void {
  if (spaceless || (space_id !== NOWHERE && !(space_assumed && needsNamedSpace(facets)))) return;
  throw new ParleyError(
    "MISSING_SESSION_ID",
    `${name} works in one space, and you may use several: name one with X-Session-ID.`,
  );
}

type Run = (ctx: Ctx, tool: Tool, args: unknown, options: CallOptions) => Promise<object>;

const createRun =
  (guards: readonly Guard[]): Run =>
  async (outer, tool, args, options) => {
    if (!has(outer.actor, ...tool.roles))
      throw new ParleyError(
        "FORBIDDEN",
        `${tool.name} is for ${tool.roles.join(", ")}; you are ${outer.actor.roles.join(", ")}.`,
      );
    if (tool.upkeep === "runtime" && outer.actor.governed)
      throw new ParleyError("FORBIDDEN", `${tool.name} is for what runs an agent, not for the program that it runs.`);
    const { key, input } = parse(tool, args, options);
    const { cause } = options;
    const declared = tool.writes && cause !== undefined ? await declaredCause(outer, cause) : undefined;
    const ctx = declared ? { ...outer, cause: declared } : outer;
    const isLet = tool.upkeep !== undefined || options.goes_on;
    const asked = (await isAnswered(ctx, tool, key)) ? [ONLY_ANSWERS] : guards;
    const permits = isLet ? [] : await permitsFor(ctx, asked, { tool: tool.name, arguments: args });
    return make(ctx, tool, { key, input, permits });
  };

/** Of those whose every call is decided about: what was done with a key already is told once more, and not decided anew. */
const isAnswered = async (ctx: Ctx, { name: tool, scope }: Tool, key: string | undefined): Promise<boolean> =>
  key !== undefined && ctx.actor.governed === true && !scope && isMade(ctx, { tool, key });

/** What nobody decided about is not done should the result be forgotten in between. */
const ONLY_ANSWERS: Guard = async () => async () => {
  throw new ParleyError(
    "CONFLICT",
    "What came of this idempotency key is no longer kept. Call again with another one.",
  );
};

interface Parsed {
  key: string | undefined;
  input: object;
  permits: readonly Permit[];
}

async function make(ctx: Ctx, tool: Tool, { key, input, permits }: Parsed): Promise<object> {
  // `input` is what the tool's own schema parsed.
  const work = (ctx: Ctx): Promise<object> => tool.run(ctx, input as never);
  const use = (ctx: TxCtx): Promise<void> => useUp(ctx, permits);
  const scope = tool.writes && !tool.waits ? ((await tool.scope?.(ctx, input as never)) ?? ctx.actor.space_id) : null;
  const is_here = scope === ctx.actor.space_id;
  // Where the call is made in no transaction of this space, what allows it is used up before.
  if (permits.length > 0 && !is_here) await transact(ctx, use);
  if (scope === null) return work(ctx);

  // The same words said for another agent are another call.
  const acting = has(ctx.actor, "orchestrator") ? ctx.actor.caller_agent : undefined;
  const same = acting === undefined ? input : { acting, input };
  const permitted = async (ctx: TxCtx): Promise<object> => {
    if (is_here) await use(ctx);
    return work(ctx);
  };
  const write = (ctx: TxCtx): Promise<object> =>
    key === undefined ? permitted(ctx) : once(ctx, { tool: tool.name, key, args: same }, () => permitted(ctx));
  // A tool that acts on another space says itself what may be done with an expired one.
  return transact(ctx, write, { space_id: scope, even_expired: !is_here });
}

function parse(tool: Tool, args: unknown, options: CallOptions): { key: string | undefined; input: object } {
  checkText(args);
  const { key, rest } = takeKey(tool, args, options);
  const fitted = fitTo(tool.input, rest);
  if ("data" in fitted) return { key, input: fitted.data };
  // It names unknown fields, and those are the caller's: as many and as long as a body holds.
  throw new ParleyError("INVALID_ARGUMENT", `${tool.name}: ${cut(fitted.wrong, 300)}.`);
}

/** One that waits is repeated freely; the result of one that is secret is stored nowhere, so it cannot be given again. */
export const takesKey = ({ writes, waits, secret }: Tool): boolean => writes === true && waits === undefined && !secret;

/** A key may stand among the arguments or beside them, and where it is in both it has to be the same. */
function takeKey(tool: Tool, args: unknown, options: CallOptions): { key: string | undefined; rest: unknown } {
  const { key: inside, rest } = split(args);
  const outside = options.idempotency_key;
  if (inside === undefined && outside === undefined) return { key: undefined, rest };
  if (!takesKey(tool)) throw new ParleyError("INVALID_ARGUMENT", `${tool.name} takes no idempotency key.`);
  const key = IdempotencyKey.safeParse(inside ?? outside);
  if (!key.success) throw new ParleyError("INVALID_ARGUMENT", "An idempotency key is a text of 1 to 200 characters.");
  if (outside !== undefined && key.data !== outside)
    throw new ParleyError("INVALID_ARGUMENT", "The idempotency keys of the header and of the arguments differ.");
  checkText(key.data);
  return { key: key.data, rest };
}

function split(args: unknown): { key: unknown; rest: unknown } {
  if (typeof args !== "object" || args === null || !("idempotency_key" in args)) return { key: undefined, rest: args };
  const { idempotency_key: key, ...rest } = args;
  return { key, rest };
}
