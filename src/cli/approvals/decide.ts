import { readableJson } from "../../readable-json.ts";
import { visibleLine } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand, text } from "../core/command.ts";
import { answeredWord, answeredYes, seen, YES } from "../core/confirm.ts";
import { Failure, invalid } from "../core/failure.ts";
import { fields } from "../core/fields.ts";
import { isShort, openOne } from "../core/short-ids.ts";
import type { Input, Output } from "../core/tool-types.ts";
import { wholeText } from "../core/whole-text.ts";

type Approval = Output<"approval_get">;
type Verdict = Input<"approval_decide">["decision"];

/** As people say it. */
const WORDS: Readonly<Record<string, Verdict>> = {
  approve: "approve",
  deny: "deny_continue",
  "deny-abort": "deny_abort",
  leave: "leave",
};

export const decide = defineCommand({
  people: true,
  examples: [
    "approvals decide approve 1760000000000000",
    "approvals decide deny latest --reason 'Ask mason first.'",
    'approvals decide approve latest --arguments \'{"cmd": ["git", "push", "--dry-run"]}\'',
  ],
  details:
    "The first decision counts, about exactly what is shown. deny tells the agent, deny-abort ends its turn as well, leave leaves it to its own terminal. At a terminal a call is shown whole and asked about before it is approved.",
  positionals: {
    decision: { required: true, description: "approve, deny, deny-abort or leave" },
    ids: { required: true, rest: true, description: "the ids of what is decided, as short as names one, or latest" },
  },
  options: {
    reason: text("TEXT", "why; it reaches the agent word for word"),
    arguments: text("JSON", "with approve: run it with these instead"),
    ...YES,
  },
  async run(cli, { decision: word, ids: given, reason = "", arguments: edited, yes }) {
    const decision = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
    if (!decision) throw invalid(`${visibleLine(word)} is none of ${Object.keys(WORDS).join(", ")}.`);
    const asked = await approvalsOf(cli, given);
    if (edited !== undefined && asked.length > 1) throw invalid("--arguments: they are for one call, not for several.");
    // Of what is over nobody is asked anything: the hub says who was first.
    const open = asked.filter(({ state }) => state === "pending");
    if (decision === "approve" && !yes && open.length > 0 && !(await allSeen(cli, open, edited)))
      return cli.out.write("Nothing was decided.");
    const [first, ...more] = asked;
    if (first && more.length === 0) return one(cli, first, { decision, reason, edited });
    const approvals = asked.map(({ id, digest }) => ({ id, digest }));
    const outcome = await cli.call("approval_decide_several", { approvals, decision, reason });
    if (outcome.refused.length > 0) cli.io.exitCode = 5;
    await cli.out.result(
      outcome,
      () =>
        [
          `Decided: ${outcome.decided.length}.`,
          ...outcome.refused.map(({ id, error }) => `${visibleLine(id)}: ${visibleLine(error)}`),
        ].join("\n"),
      outcome.decided,
    );
  },
});

interface Decision {
  decision: Verdict;
  reason: string;
  edited: string | undefined;
}

async function one(cli: Cli, { id, digest }: Approval, { decision, reason, edited }: Decision): Promise<void> {
  const approval = await cli.call("approval_decide", { id, digest, decision, reason, edited_arguments: edited });
  await cli.out.result(approval, () => `Decided.\n${fields(cli.out, { ...approval, verdicts: [] })}`, [approval.id]);
}

/** As they are now: what their person has seen of them may have been less, or something else. */
async function approvalsOf(cli: Cli, given: readonly string[]): Promise<Approval[]> {
  const pending = { state: "pending", limit: 100 } as const;
  const open = given.some(isShort) ? (await cli.call("approval_list", pending)).approvals : [];
  const none = new Failure("APPROVAL_NOT_FOUND", "Nothing waits to be decided.");
  const ids = given.map((id) => openOne(id, open, { what: "open approval", none }));
  return Promise.all([...new Set(ids)].map((id) => cli.call("approval_get", { id })));
}

/** All of each, above the question. */
function allSeen(cli: Cli, asked: readonly Approval[], edited: string | undefined): Promise<boolean> {
  const cards = asked.map((approval) => {
    const { agent, called_by, tool, server, about } = approval;
    const [who, whose] = called_by === null ? [agent, ""] : [called_by, ` as ${visibleLine(agent)} has it`];
    const title = `${visibleLine(who)} asks to use ${visibleLine(tool)} of ${visibleLine(server)}${whose}, with:`;
    const explained = about === "" ? [] : [`  ${visibleLine(agent)} says about it:`, ...wholeText(about)];
    return { title, lines: [...wholeText(edited ?? textOf(approval)), ...explained, ...riskOf(approval)] };
  });
  return seen(cli, cards, () =>
    asked.some(({ risk }) => risk === "high")
      ? answeredWord("Approve it?", "approve")
      : answeredYes(asked.length > 1 ? `Approve all ${asked.length}?` : "Approve it?"),
  );
}

/** As its card says it. */
const HINT_WORDS: Partial<Record<Approval["hints"][number], string>> = {
  destructive: "it may delete or overwrite things",
  open_world: "it reaches beyond this hub",
};

function riskOf({ risk, server, hints }: Approval): string[] {
  if (risk === null || risk === "low") return [];
  const explained = hints.flatMap((hint) => HINT_WORDS[hint] ?? []).join(", and ");
  return [`  It is of ${risk} risk${explained && `; ${visibleLine(server)} says of it: ${explained}`}.`];
}

/** What a client showed of arguments is a text of its own, and read as one. */
function textOf({ arguments: given, covers }: Approval): string {
  const { preview } = Object(given);
  return covers === "preview" && typeof preview === "string" ? preview : readableJson(given);
}
