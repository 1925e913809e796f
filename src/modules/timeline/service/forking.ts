/**
 * Begins a new agent from a place in another's log. It has that log up to there, and nothing of what came after; an inbox,
 * a token and costs of its own; and no tools but its words until a person lets it use them.
 */
import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId, parseId, timeOfId } from "../../../ids.ts";
import { type AgentRow, newAgent } from "../../identity/index.ts";
import type { ForkAgent, Forked, RuntimeStatus, SetTools } from "../schema.ts";
import * as store from "../store.ts";
import type { RuntimeRow } from "../tables.ts";
import { tellChange } from "./events.ts";
import { findRuntimeOf } from "./fencing.ts";
import { hosted, hostingIn } from "./hosting.ts";
import { readBack, whose } from "./items.ts";
import { listSizes } from "./lineage.ts";
import { log } from "./logging.ts";
import { NEVER_RUN } from "./starting.ts";
import { agentNamed } from "./status.ts";
import { steer } from "./steering.ts";
import { isoNow } from "./wire.ts";

export const fork = (ctx: Ctx, { agent: from, at_id, name }: ForkAgent): Promise<Forked> =>
  transact(ctx, async (ctx) => {
    const origin = await agentNamed(ctx, from);
    const known = await findRuntimeOf(ctx, origin);
    const forked_at = await cutAt(ctx, origin, at_id);
    if (!known || (await listSizes(ctx, origin.principal_id, { before_id: forked_at + 1, limit: 1 })).length === 0)
      throw new ParleyError("CONFLICT", `No runtime had run ${from} by then: there is nothing to begin from.`);
    const { token, id: token_id } = await newAgent(ctx, name);
    const made = await agentNamed(ctx, name);
    const row: RuntimeRow = {
      ...{ ...NEVER_RUN, principal_id: made.principal_id, driver: known.driver },
      ...{ forked_from: origin.principal_id, forked_at, tools_off_at: isoNow(ctx) },
    };
    const hosting = hostingIn(known);
    if (hosting) row.in_hub = await hosted(ctx, made, hosting.definition, hosting.like ?? origin.name);
    await store.saveRuntime(ctx.tx, row);
    await tellBegun(ctx, { made, from, forked_at });
    const in_hub = row.in_hub !== null;
    return { agent: made.name, forked_from: origin.name, at_id: formatId(forked_at), token, token_id, in_hub };
  });

interface Begun {
  made: AgentRow;
  from: string;
  forked_at: number;
}

const tellBegun = (ctx: TxCtx, { made, from, forked_at }: Begun): Promise<number[]> => {
  const text = `Begun by ${ctx.actor.name} from ${from}, with what that knew at ${timeOfId(forked_at)}. Its tools are off.`;
  return log(ctx, made, [{ type: "Notice", key: `forked:${forked_at}`, turn_id: null, text }]);
};

/** Whether it may use tools. Its model is given the same list all the same: each call is answered with a sentence. */
export const setTools = (ctx: Ctx, { on, ...of }: SetTools): Promise<RuntimeStatus> =>
  steer(ctx, of, async (ctx, agent, row) => {
    if ((row.tools_off_at === null) === on) return row;
    await tellChange(ctx, agent, "tools_set");
    return { ...row, tools_off_at: on ? null : isoNow(ctx) };
  });

/** The last entry that belongs to an item: a model was never told of a call without what came of it. */
async function cutAt(ctx: TxCtx, agent: AgentRow, at_id: string): Promise<number> {
  const at = parseId(at_id);
  const { principal_id } = agent;
  const before_id = formatId(at + 1);
  const [item] = (await readBack(ctx, await whose(ctx, agent.name), { before_id, limit: 1 })).items;
  if (item?.id !== formatId(at))
    throw new ParleyError(
      "NOT_FOUND",
      `There is no ${at_id} on the timeline of ${agent.name}. timeline_read shows it.`,
    );
  const entry = await entryOf(ctx, agent, { at, is_message: item.kind === "UserMessage" });
  if (entry === undefined || entry.turn_id === null) return entry?.id ?? at;
  const told = await store.listWholeTurn(ctx.tx, { principal_id, turn_id: entry.turn_id });
  const cut = restAfter(told, entry.id);
  if (cut === undefined)
    throw new ParleyError(
      "CONFLICT",
      `${agent.name} is still at what it called there. Wait for its end, or go further back.`,
    );
  return cut;
}

/** Of what a person said, where it was taken in; of everything else, the last entry up to there. */
async function entryOf(
  ctx: TxCtx,
  { principal_id, name }: AgentRow,
  { at, is_message }: { at: number; is_message: boolean },
) {
  if (!is_message) return store.findLastEvent(ctx.tx, { principal_id, up_to: at });
  const id = await store.findEventByKey(ctx.tx, { principal_id, key: `chat:${formatId(at)}` });
  if (id === null) throw new ParleyError("CONFLICT", `${name} has not heard that message yet: it cannot begin there.`);
  return store.findLastEvent(ctx.tx, { principal_id, up_to: id });
}

type LogRow = { id: number; type: string; body: string };
interface Body {
  call_id?: string;
  sample?: number;
  seen_id?: string | null;
}

/**
 * The first entry from there on after which a model may be asked: with the whole answer that it is part of, and of what was
 * said while the model thought with the answer that had not seen it. Undefined where a result is not there yet.
 */
function restAfter(turn: readonly LogRow[], from: number): number | undefined {
  const open = new Set<string>();
  let [cut, last_text, sample]: [number, number, number | undefined] = [from, 0, undefined];
  for (const { id, type, body } of turn) {
    // Written by `log`.
    const { call_id = "", ...answer } = JSON.parse(body) as Body;
    const answers = type === "ModelText" || type === "ToolCall";
    if (id > cut && answers && open.size === 0) {
      const unseen = Number(answer.seen_id ?? 0) < last_text;
      if (answer.sample !== sample && !unseen) break;
    }
    if (id > cut && !answers && open.size === 0) continue;
    cut = Math.max(cut, id);
    if (answers) sample = answer.sample;
    if (type === "UserText") last_text = id;
    if (type === "ToolCall") open.add(call_id);
    if (type === "ToolOutput") open.delete(call_id);
  }
  return open.size === 0 ? cut : undefined;
}
