import type { Ctx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId, timeOfId } from "../../../ids.ts";
import { page, startOf } from "../../../pages.ts";
import { cut } from "../../../text.ts";
import { visible } from "../../../visible.ts";
import type { Preview, PreviewedCall, PreviewPolicy, Tally } from "../schema.ts";
import type * as store from "../store.ts";
import { givenDocument, givenRule } from "./checking.ts";
import { compile, evaluate, type Policy } from "./evaluating.ts";
import { pastCalls } from "./history.ts";
import { withRule } from "./placing.ts";
import { current, currentDocument } from "./policies.ts";
import { callOf, isoNow } from "./wire.ts";
import { ruleWords } from "./words.ts";

const MOST_ARGUMENTS = 500;

/**
 * What a draft would decide otherwise, of everything that was called so far: as if each of these calls were made now,
 * first under the policy that counts and then under the draft, by the same evaluator that decides when they are made.
 */
export async function preview(ctx: Ctx, { rule: given, document, limit, before }: PreviewPolicy): Promise<Preview> {
  if ((given === undefined) === (document === undefined))
    throw new ParleyError("INVALID_ARGUMENT", "Give a rule, or a whole document.");
  const { policy: now } = await current(ctx);
  const rule = given === undefined ? null : givenRule(given);
  const drafted = compile(rule ? withRule(await currentDocument(ctx), rule) : givenDocument(document));
  const changed: Tally = { allow: 0, ask: 0, deny_continue: 0, deny_abort: 0 };
  const calls: { id: number; call: PreviewedCall }[] = [];
  const start = startOf(before);
  let looked_at = 0;
  for await (const call of pastCalls(ctx)) {
    looked_at += 1;
    const decided = { decision: rulingOf(now, call, isoNow(ctx)), would: rulingOf(drafted, call, isoNow(ctx)) };
    if (decided.decision === decided.would) continue;
    changed[decided.would] += 1;
    if (call.id < start && calls.length <= limit) calls.push({ id: call.id, call: shownOf(call, decided) });
  }
  const { shown, next } = page(calls, limit, ({ id }) => id);
  return {
    words: wordsOf(changed, looked_at),
    rule_words: rule && ruleWords(rule),
    looked_at,
    changed,
    calls: shown.map(({ call }) => call),
    next,
  };
}

type Decided = Pick<PreviewedCall, "decision" | "would">;

const shownOf = ({ id, agent, server, tool, arguments: given }: store.PastCall, decided: Decided): PreviewedCall => ({
  ...{ id: formatId(id), agent, server, tool, arguments: cut(visible(given), MOST_ARGUMENTS), asked_at: timeOfId(id) },
  ...decided,
});

/** What cannot be worked out is denied when it is asked. */
function rulingOf(policy: Policy | null, call: store.PastCall, now: string): Decided["would"] {
  try {
    return evaluate(policy, callOf(call), now).decision;
  } catch {
    return "deny_continue";
  }
}

function wordsOf({ allow, ask, deny_continue, deny_abort }: Tally, looked_at: number): string {
  const denied = deny_continue + deny_abort;
  const parts = [allow && `allowed ${allow}`, denied && `denied ${denied}`, ask && `asked about ${ask}`].filter(
    Boolean,
  );
  const of = `of ${looked_at} ${looked_at === 1 ? "call" : "calls"} so far`;
  return parts.length === 0 ? `It would have changed nothing ${of}.` : `It would have ${parts.join(", ")} more ${of}.`;
}
