import { visibleLine } from "../../visible.ts";
import { ACTING_OPTIONS } from "../core/acting.ts";
import { callAs } from "../core/call-as.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand, integer, text } from "../core/command.ts";
import { Failure, invalid } from "../core/failure.ts";
import { fields, rows } from "../core/fields.ts";
import { parseJson } from "../core/io.ts";
import { isWhole, openOne } from "../core/short-ids.ts";
import type { Output } from "../core/tool-types.ts";

export const show = defineCommand({
  examples: ["policy show", "policy show --version 3", "policy show --json"],
  details:
    "Each rule as a sentence, in the order in which they count: the first that matches decides. --json gives the document.",
  positionals: {},
  options: { version: integer("N", "an earlier one", { minimum: 0 }) },
  async run(cli, { version }) {
    const policy = await cli.call("policy_get", { version });
    await cli.out.result(policy, () => policyText(cli, policy), [String(policy.version)]);
  },
});

function policyText({ out }: Cli, { version, set_by, set_at, words, built_in }: Output<"policy_get">): string {
  const head =
    version === 0 ? "Nobody has set a policy." : `Version ${version}, set by ${set_by} ${out.time(set_at ?? "")}.`;
  const rules = words.map((sentence, at) => {
    // What is said of everything else is no rule that could be taken back.
    const number = at < words.length - 1 ? String(at + 1) : "";
    return `${number.padStart(4)}  ${visibleLine(sentence)}`;
  });
  return [head, ...rules, `Without a rule agents may use ${built_in.join(", ")}.`].join("\n");
}

const RULE = '{"tool": "runtime_exec", "when": {"cmd.0": "git"}, "decision": "allow"}';
const rule = { required: true, description: "the rule as JSON" } as const;

export const propose = defineCommand({
  examples: [`policy propose '${RULE}' --reason Often`],
  details: "It counts once a person accepts it.",
  positionals: { rule },
  options: {
    reason: text("TEXT", "why, for the people who decide", { required: true }),
    ...ACTING_OPTIONS,
  },
  async run(cli, { rule, reason, ...as }) {
    const proposal = await callAs(cli, as, "policy_propose", { rule: parsed(rule), reason });
    await cli.out.result(proposal, () => `Proposed, as ${proposal.id}: ${visibleLine(proposal.words)}`, [proposal.id]);
  },
});

export const preview = defineCommand({
  people: true,
  examples: [`policy preview '${RULE}'`],
  details: "Of everything that was asked so far, by the rules that decide when it is asked.",
  positionals: { rule },
  options: { limit: integer("N", "at most so many calls", { minimum: 1, maximum: 100 }) },
  async run(cli, { rule, limit }) {
    const previewed = await cli.call("policy_preview", { rule: parsed(rule), limit });
    const columns = ["id", "agent", "tool", "arguments", "decision", "would"];
    await cli.out.result(
      previewed,
      () =>
        [
          previewed.rule_words ?? "",
          previewed.words,
          previewed.calls.length > 0 && rows(cli.out, previewed.calls, columns),
        ]
          .filter(Boolean)
          .join("\n"),
      previewed.calls,
    );
  },
});

export const decide = defineCommand({
  people: true,
  examples: ["policy decide accept latest", "policy decide reject 1760000000000000"],
  details: "An accepted rule counts from the next call on, behind every rule that denies the same tool.",
  positionals: {
    decision: { required: true, description: "accept or reject" },
    id: { required: true, description: "the proposal's id, as short as names one, or latest" },
  },
  options: {},
  async run(cli, { decision, id: given }) {
    if (decision !== "accept" && decision !== "reject")
      throw invalid(`${visibleLine(decision)} is none of accept, reject.`);
    const { proposals } = await cli.call("policy_proposals", { limit: 100 });
    const open = proposals.filter(({ state }) => state === "pending");
    const none = new Failure("NOT_FOUND", "No rule waits to be decided.");
    const id = isWhole(given) ? given : openOne(given, open, { what: "open proposal", none });
    // The hub says of one that is unknown what is the matter with it.
    const digest = proposals.find((one) => one.id === id)?.digest ?? "";
    const proposal = await cli.call("policy_decide", { id, digest, decision });
    await cli.out.result(proposal, () => fields(cli.out, proposal), [proposal.id]);
  },
});

export const parsed = (text: string): unknown => parseJson(text, "This is");
