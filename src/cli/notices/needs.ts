import { visibleLine } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand } from "../core/command.ts";
import { theOne } from "../core/short-ids.ts";
import type { Output } from "../core/tool-types.ts";
import { wholeText } from "./whole-text.ts";

type Listed = Output<"need_list">;
type Need = Listed["needs"][number];

export const list = defineCommand({
  people: true,
  examples: ["needs", "needs --everywhere", "needs --limit 5 --before 1760000000000000"],
  details: "What agents ask, what the hub has to tell, and mail that waits for your answer: the list the page shows.",
  options: {
    limit: { type: "integer", value: "N", minimum: 1, maximum: 100, description: "at most so many (default 20)" },
    before: { type: "text", value: "ID", description: "go on with those before this one" },
    everywhere: { type: "flag", description: "in every space you may use, not in one alone" },
  },
  async run(cli, { limit, before, everywhere }) {
    const page = { ...(limit && { limit }), ...(before && { before }), ...(everywhere && { everywhere }) };
    const listed = await cli.call("need_list", page);
    await cli.out.result(
      listed,
      () => {
        if (listed.needs.length === 0) return "Nothing waits for you.";
        const more = listed.next ? [`There is more: ${cli.again("--before", listed.next)}`] : [];
        return [...listed.needs.map((need) => shown(cli, need)), ...more].join("\n\n");
      },
      () => listed.needs.map(({ id }) => visibleLine(id)),
    );
  },
});

export const later = defineCommand({
  people: true,
  examples: ["later 1760000000000000 2h", "later 1760000000000000 2027-03-01T09:00:00Z"],
  details: "Others still see it, and whoever asks still waits.",
  positionals: {
    id: { required: true, description: "its id, as needs shows it" },
    until: { required: true, description: "until when: 30m, 2h, 3d or ISO time; now takes it back" },
  },
  async run(cli, { id, until }) {
    const put = await cli.call("need_later", { id: await needId(cli, id), until: until === "now" ? null : until });
    await cli.out.result(
      put,
      () => (put.until === null ? "Back in your list." : `Out of your list until ${cli.out.time(put.until)}.`),
      () => [visibleLine(put.id)],
    );
  },
});

async function needId(cli: Cli, given: string): Promise<string> {
  if (given.length >= 16) return given;
  const { needs } = await cli.call("need_list", { limit: 100 });
  return theOne(
    given,
    needs.map(({ id }) => id),
    "thing that waits for you",
  );
}

/** What somebody else wrote is indented, so that it can pass for no line of ours. */
function shown(cli: Cli, { id, kind, title, text, from, asked_at, choices, tool, space }: Need): string {
  const { out } = cli;
  const act =
    tool === "mail_reply" ? `reply ${id} --body TEXT` : `notice settle ${id}${choices ? " --choice CHOICE" : ""}`;
  const how = cli.line(space ? `${act} --space ${space}` : act);
  const about = [
    id,
    kind,
    from ? `from ${from}` : "from the hub",
    ...(space ? [`in ${space}`] : []),
    out.time(asked_at),
  ];
  return [
    out.dim(visibleLine(about.join("  "))),
    `  ${out.bold(visibleLine(title))}`,
    ...wholeText(text),
    ...(choices ? [`Choices: ${visibleLine(choices.join(", "))}`] : []),
    `To deal with it: ${visibleLine(how)}`,
  ].join("\n");
}
