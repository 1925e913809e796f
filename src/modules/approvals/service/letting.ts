import type { Ctx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { currentName } from "../../../old-names.ts";
import { ownHolder } from "../../identity/index.ts";
import { HUB_SERVER } from "./built-in.ts";
import { type Canonical, canonicalArguments } from "./canonical.ts";
import { type Call, evaluateOrFail, type Policy, type RuledOrFailed } from "./evaluating.ts";
import { current } from "./policies.ts";
import { isoNow } from "./wire.ts";

interface OwnCall {
  call_id: string;
  tool: string;
  /** As the model wrote them. */
  arguments: string;
}

/**
 * Which of these calls of the hub's own tools the policy allows: they are made at once, and leave no approval. Of all
 * others `approval_request` says what becomes of them.
 */
export async function letThrough(ctx: Ctx, agent: string, calls: readonly OwnCall[]): Promise<string[]> {
  if (calls.length === 0) return [];
  const { policy } = await current(ctx);
  const now = isoNow(ctx);
  return calls.filter((call) => isAllowed(policy, { agent, now }, call)).map(({ call_id }) => call_id);
}

/** What the policy says of a call of the actor's own, before anybody is asked. */
export async function ruleOn(
  ctx: Ctx,
  call: Pick<Call, "server" | "tool" | "executes"> & { arguments: string },
): Promise<Ruling> {
  const { policy } = await current(ctx);
  const { name: agent } = await ownHolder(ctx);
  const asked = { ...call, agent, arguments: canonicalArguments(call.arguments).value, hints: [] };
  return evaluateOrFail(policy, asked, isoNow(ctx)).decision;
}

type Ruling = RuledOrFailed["decision"];

function isAllowed(policy: Policy | null, { agent, now }: { agent: string; now: string }, call: OwnCall): boolean {
  const given = readable(call.arguments);
  if (!given) return false;
  const tool = currentName(call.tool);
  const asked: Call = { agent, server: HUB_SERVER, tool, arguments: given.value, hints: [], executes: "runtime" };
  return evaluateOrFail(policy, asked, now).decision === "allow";
}

/** A model may write anything; whoever asks about it is told what is wrong. */
export function readable(text: string): Canonical | undefined {
  try {
    return canonicalArguments(text.trim() || "{}");
  } catch (error) {
    if (error instanceof ParleyError) return undefined;
    throw error;
  }
}
