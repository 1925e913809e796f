import { timelineHref } from "#lib/agents/timeline-href.ts";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Agent, Tools } from "#lib/hub/types.ts";
import { decisionWords } from "./decision-words.ts";

type Notice = Tools["notice_list"]["output"]["notices"][number];
type Client = Pick<Hub["client"], "call">;

/** What became of something that needed somebody. */
export interface Decided {
  title: string;
  words: string;
  at: string | null;
  /** Where it stands. */
  links: { href: string; words: string }[];
}

/** A list that begins with exactly that one, where it has it. */
export const oneBefore = (id: string) => ({ before: String(Number(id) + 1), limit: 1 });

/** Undefined for what the hub no longer knows, and for what nobody has decided. */
export async function decided(client: Client, id: string, agents: readonly Agent[]): Promise<Decided | undefined> {
  const [notice] = (await client.call("notice_list", oneBefore(id))).notices;
  if (notice?.id !== id || notice.state === "open") return undefined;
  const known = { title: notice.title, at: notice.settled_at };
  if (notice.kind === "approval") return { ...known, ...(await ofCall(client, id, agents)) };
  if (notice.kind === "policy") return { ...known, ...(await ofRule(client, notice)) };
  return { ...known, ...((await ofQuestion(client, notice, agents)) ?? ofNotice(notice)) };
}

type Found = Pick<Decided, "words" | "links">;

async function ofCall(client: Client, id: string, agents: readonly Agent[]): Promise<Found> {
  const approval = await client.call("approval_get", { id });
  return {
    words: decisionWords({ ...approval, edited: approval.edited_digest !== null }),
    links: [
      { href: timelineHref(agents, approval.agent, id), words: "In its timeline" },
      { href: "/policy", words: "Everything that was asked" },
    ],
  };
}

async function ofRule(client: Client, { id, settled_by }: Notice): Promise<Found> {
  const [proposal] = (await client.call("policy_proposals", oneBefore(id))).proposals;
  const by = settled_by === null ? "" : ` by ${settled_by}`;
  const version = proposal?.id === id ? proposal.version : null;
  const accepted = `Accepted${by}${version === null ? "" : `: it is part of the policy since version ${version}`}.`;
  const state = proposal?.id === id ? proposal.state : undefined;
  const words = state === "approved" ? accepted : state === "rejected" ? `Rejected${by}.` : `Taken back${by}.`;
  return { words, links: [{ href: "/policy", words: "The policy" }] };
}

/** Undefined where it is no question, whatever its kind says: agents name theirs as they like. */
async function ofQuestion(client: Client, notice: Notice, agents: readonly Agent[]): Promise<Found | undefined> {
  if (notice.kind !== "question") return undefined;
  const { id, settled_by } = notice;
  const [question] = (await client.call("get_all_questions", oneBefore(id))).questions;
  if (question?.id !== id) return undefined;
  const by = settled_by === null ? "" : ` by ${settled_by}`;
  const ENDS = {
    open: "Nobody has answered.",
    answered: `Answered by ${question.answered_by ?? "a person"}: ${question.answer ?? ""}`,
    no_response: question.answer === null ? "Nobody answered in time." : `Nobody answered in time: ${question.answer}`,
    withdrawn: `Taken back${by}.`,
    dismissed: `Dismissed${by}.`,
  };
  const href = timelineHref(agents, question.asked_by, id);
  const links = [{ href: "/workspace/questions", words: "All questions" }];
  return { words: ENDS[question.state], links: [{ href, words: "In its timeline" }, ...links] };
}

function ofNotice({ state, choice, settled_by, topic, ref }: Notice): Found {
  const by = settled_by === null ? "" : ` by ${settled_by}`;
  const ENDS: Record<Notice["state"], string> = {
    open: "Nobody has answered.",
    answered: choice === null ? `Marked as done${by}.` : `Answered${by}: ${choice}`,
    expired: "Nobody answered in time.",
    withdrawn: `Taken back${by}.`,
    superseded: "A newer one has taken its place.",
  };
  const links = topic === "mail" && ref !== null ? [{ href: `/mail?thread=${ref}`, words: "The mail" }] : [];
  return { words: ENDS[state], links };
}
