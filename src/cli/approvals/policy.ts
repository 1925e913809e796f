import { visibleLine } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand, integer } from "../core/command.ts";
import { Failure, invalid } from "../core/failure.ts";
import { fields } from "../core/fields.ts";
import { isWhole, openOne } from "../core/short-ids.ts";
import type { Output } from "../core/tool-types.ts";

export const show = defineCommand({
  examples: ["policy show", "policy show --version 3", "policy show --json"],
  details:
    "Each rule as a sentence, in the order in which they count: the first that matches decides. --json gives the document.",
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

export const decide = defineCommand({
  people: true,
  examples: ["policy decide accept latest", "policy decide reject 1760000000000000"],
  details: "An accepted rule counts from the next call on, behind every rule that denies the same tool.",
  positionals: {
    decision: { required: true, description: "accept or reject" },
    id: { required: true, description: "the proposal's id, as short as names one, or latest" },
  },
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
