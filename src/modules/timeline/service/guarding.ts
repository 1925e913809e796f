/** What the hub itself keeps to of what was said of an agent's tools, whoever runs it and with whichever of its tokens. */
import { AGENTS, type Ctx, has } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import type { Reaction } from "../../../feed/reactions.ts";
import { formatId } from "../../../ids.ts";
import type { PlannedCall } from "../../../module.ts";
import { cut } from "../../../text.ts";
import { endedByDenial, findApproval, findOutcome } from "../../approvals/index.ts";
import * as store from "../store.ts";
import { tellStopping } from "./events.ts";
import { findRuntimeOf } from "./fencing.ts";
import { log } from "./logging.ts";
import { areToolsOff } from "./tools-off.ts";

/** What an agent has whose tools are off: its words, the end of its turn, and to know who it is. */
const ALWAYS: readonly string[] = ["chat_assistant_post", "loop_yield_turn", "whoami"];

/** Refuses everything else to an agent whose tools are off. */
export async function guard(ctx: Ctx, { tool }: PlannedCall): Promise<undefined> {
  if (!has(ctx.actor, ...AGENTS) || ALWAYS.includes(tool)) return;
  if (await areToolsOff(ctx))
    throw new ParleyError(
      "TOOLS_OFF",
      "Your tools are off until a person lets you use them. You can speak and end your turn.",
    );
}

/** What a program is told of in the next turn; it may have found out by itself. */
const TOLD: readonly string[] = ["approved", "denied", "expired"];
const MOST_SHOWN = 2000;

/** People, or the time, have decided about a call that its program made earlier. It begins no turn. */
export const tellDecided: Reaction = async (ctx, event) => {
  const { stream: principal_id, id, ref } = event;
  const found = await findApproval(ctx, { id: formatId(ref ?? id) });
  const { executes, state, tool, agent: name } = found;
  if (executes !== "hub" || !TOLD.includes(state) || !(await findRuntimeOf(ctx, { principal_id }))) return;
  const { says } = await findOutcome(ctx, found.id);
  const again = state === "approved" ? "\nUnless you have called it since, call it again with exactly these." : "";
  const given = cut(JSON.stringify(found.arguments), MOST_SHOWN);
  const text = `${tool}, which you called with ${given}: ${says}${again}`;
  await log(ctx, { principal_id, name }, [{ type: "Notification", key: `decided:${id}`, turn_id: null, text }]);
};

/** A call of its program was denied so that the turn ends with it: the runtime aborts it as for a person. */
export const endDenied: Reaction = async (ctx, event) => {
  const ended = await endedByDenial(ctx, event);
  if (!ended) return;
  const whose = { principal_id: event.stream, name: ended.agent };
  const row = await findRuntimeOf(ctx, whose);
  if (!row || row.turn_id !== ended.cause || row.abort_turn_id !== null) return;
  const text = `${ended.tool} was denied, and with it the turn. ${ended.says}`;
  await log(ctx, whose, [{ type: "Notice", key: `denied:${event.id}`, turn_id: row.turn_id, text }]);
  await tellStopping(ctx, whose, row.turn_id);
  await store.saveRuntime(ctx.tx, { ...row, abort_turn_id: row.turn_id });
};
