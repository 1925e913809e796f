import type { Tools } from "#lib/hub/types.ts";
import { viaWords } from "./via.ts";

type Decided = Pick<Tools["approval_get"]["output"], "state" | "outcome" | "decided_by" | "decided_via" | "reason"> & {
  edited: boolean;
};

const DECIDED: Record<NonNullable<Decided["outcome"]>, string> = {
  user_approve: "Approved",
  user_deny_continue: "Denied",
  user_deny_abort: "Denied, and its turn ended,",
  policy_allow: "Allowed",
  policy_deny_continue: "Denied",
  policy_deny_abort: "Denied, and its turn ended,",
  policy_failed: "Not run: the policy could not be evaluated",
};
const UNDECIDED: Partial<Record<Decided["state"], string>> = {
  pending: "Waits for a person to decide",
  expired: "Nobody decided in time",
  withdrawn: "Taken back before anybody decided",
  superseded: "A newer request has taken its place",
};
/** A person looked at it and decided that this is not decided here. */
const LEFT = "Left to its own terminal";

/** `Approved by ana on the page with other arguments: only to the branch` */
export function decisionWords({ state, outcome, decided_by, decided_via, reason, edited }: Decided): string {
  const how = (outcome && DECIDED[outcome]) ?? (decided_by === null ? UNDECIDED[state] : LEFT) ?? "Not decided";
  const by =
    decided_by === null ? "" : ` by ${decided_by === "policy" ? "the policy" : decided_by}${viaWords(decided_via)}`;
  const words = `${how}${by}${edited ? " with other arguments" : ""}`;
  return reason ? `${words}: ${reason}` : `${words}.`;
}
