import { visibleLine } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand, text } from "../core/command.ts";
import { answeredYes, seen, YES } from "../core/confirm.ts";
import { Failure } from "../core/failure.ts";
import { fields } from "../core/fields.ts";
import { openOne } from "../core/short-ids.ts";
import type { Output } from "../core/tool-types.ts";
import { wholeText } from "../core/whole-text.ts";

type Need = Output<"need_list">["needs"][number];

export const settle = defineCommand({
  people: true,
  examples: ["notice settle 1760000000000000", "notice settle 1760000000000000 --choice allow"],
  details:
    "The first answer counts. A notice that asks nothing is settled without a choice. At a terminal what asks is shown whole and asked about before it is answered with anything but no.",
  positionals: { id: { required: true, description: "its id, as needs shows it, or latest" } },
  options: { choice: text("CHOICE", "the answer, one of its choices"), ...YES },
  async run(cli, { id: given, choice, yes }) {
    const { id, digest, need } = await decidedBy(cli, given);
    // What it says now: what its person has seen of it may have been less, or something else.
    const cards = need ? [{ title: visibleLine(need.title), lines: wholeText(need.text) }] : [];
    const ask = (): Promise<boolean> => answeredYes(`Answer ${visibleLine(choice ?? "")}?`);
    if (need && choice && !NO.includes(choice) && !yes && !(await seen(cli, cards, ask)))
      return cli.out.write("Nothing was answered.");
    const notice = await cli.call("notice_settle", { id, digest, ...(choice && { choice }) });
    await cli.out.result(
      notice,
      () => `Settled${choice ? ` with ${visibleLine(choice)}` : ""}.\n${fields(cli.out, notice)}`,
      [notice.id],
    );
  },
});

/** To say no, nobody has to see all of it. */
const NO = ["deny", "no"];

type Asked = Pick<Need, "kind" | "title" | "text" | "digest">;

/** What is decided, and what it says now. */
async function decidedBy(cli: Cli, given: string): Promise<{ id: string; digest: string; need: Asked | undefined }> {
  const { needs } = await cli.call("need_list", { limit: 100 });
  const open = needs.filter(({ tool }) => tool === "notice_settle");
  const none = new Failure("NOTICE_NOT_FOUND", "Nothing waits for you.");
  const id = openOne(given, open, { what: "open notice", none });
  const need = open.find((one) => one.id === id) ?? (await past(cli, id));
  // The hub says of one that is unknown, or was answered long ago, what is the matter with it.
  return { id, digest: need?.digest ?? "", need };
}

/** What was put off waits all the same. */
async function past(cli: Cli, id: string): Promise<Asked | undefined> {
  const { notices } = await cli.call("notice_list", { limit: 100 });
  return notices.find((one) => one.id === id);
}
