/** A runtime takes what people call of its servers: each once, and the policy decides about it in their name. */
import type { Ctx, TxCtx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { because } from "../../../feed/index.ts";
import { formatId, parseId } from "../../../ids.ts";
import { checkFit, findOutcome, type Requested, readSchema, requestApprovalFor } from "../../approvals/index.ts";
import type { TakeCall, Taken, WaitingCall } from "../schema.ts";
import * as store from "../store.ts";
import type { CallRow } from "../tables.ts";
import { toolsOff } from "./calling.ts";
import { contentKind } from "./entries.ts";
import { tellChange } from "./events.ts";
import { asRuntime } from "./fencing.ts";
import { log } from "./logging.ts";
import type { Held } from "./turns.ts";
import { isoNow } from "./wire.ts";

const MOST_GIVEN = 100;
/** By which the log and the approvals know it; no model's call has such an id. */
const callIdOf = ({ id }: Pick<CallRow, "id">): string => `called:${formatId(id)}`;

/** What a runtime has to take; nothing for one that does not know of such calls. */
export async function waitingCalls(ctx: Ctx, agent_id: string): Promise<WaitingCall[]> {
  const where = { space_id: ctx.actor.space_id, agent_id, now: isoNow(ctx), limit: MOST_GIVEN };
  const rows = await store.listWaitingCalls(ctx.db, where);
  return rows.map(({ id, server, tool }) => ({ id: formatId(id), server, tool }));
}

export const take = (ctx: Ctx, { id, ...taking }: TakeCall): Promise<Taken> =>
  asRuntime(ctx, taking, async (outer, held) => {
    const row = await store.findCall(outer.tx, { space_id: outer.tx.space_id, id: parseId(id) });
    if (row?.agent_id !== held.row.principal_id)
      throw new ParleyError("NOT_FOUND", `Nobody has called ${id} of ${held.agent.name}.`);
    if (row.approval_id !== null) return { requested: await requestedBefore(outer, row.approval_id) };
    if (row.state !== "waiting" || row.expires_at <= isoNow(outer)) return { requested: null };
    const ctx = because(outer, row.id);
    try {
      return { requested: await request(ctx, held, { row, taking }) };
    } catch (error) {
      // What is refused has written nothing.
      if (!(error instanceof ParleyError)) throw error;
      await refuse(ctx, held, row, error);
      return { requested: null };
    }
  });

/** Told again to who did not hear it. */
async function requestedBefore(ctx: TxCtx, approval_id: number): Promise<Requested> {
  const { output: _, ...requested } = await findOutcome(ctx, formatId(approval_id));
  return requested;
}

interface Taking {
  row: CallRow;
  taking: Pick<TakeCall, "holder" | "fence" | "found" | "refused">;
}

async function request(ctx: TxCtx, held: Held, { row, taking }: Taking): Promise<Requested> {
  const { found, refused, holder, fence } = taking;
  if (!found || refused)
    throw new ParleyError(refused?.code ?? "UNKNOWN_TOOL", refused?.error ?? `There is no ${row.tool} there.`);
  if (held.row.tools_off_at !== null) throw toolsOff(held.agent.name);
  const schema = readSchema(found.input_schema);
  if (schema) checkFit(schema, found.tool, JSON.parse(row.arguments));
  const [call_id, caller] = [callIdOf(row), await callerOf(ctx, row)];
  const { server, arguments: args } = row;
  const requested = await requestApprovalFor(
    ctx,
    {
      ...{ key: call_id, call_id, server, ...found, arguments: args, holder, fence },
      ...{
        covers: "arguments",
        executes: "runtime",
        editable: true,
        verdicts: ["approve", "deny_continue"],
        about: "",
      },
    },
    caller,
  );
  const taken = { id: row.id, state: "taken", approval_id: parseId(requested.id), code: null, error: null } as const;
  await store.endWaitingCall(ctx.tx, taken);
  const call = {
    call_id,
    tool: found.tool,
    content_kind: contentKind(args),
    arguments: args,
    by: caller.name,
  } as const;
  await log(ctx, held.agent, [{ type: "Called", key: call_id, turn_id: null, ...call }]);
  return requested;
}

const callerOf = async (ctx: TxCtx, { called_by: principal_id }: CallRow) => ({
  principal_id,
  name: (await store.findNameOf(ctx.tx, principal_id)) ?? principal_id,
});

async function refuse(ctx: TxCtx, { agent }: Held, { id }: CallRow, { code, message: error }: ParleyError) {
  await store.endWaitingCall(ctx.tx, { id, state: "refused", approval_id: null, code, error });
  await tellChange(ctx, agent, "call_refused");
}
