import type { Cli } from "./cli.ts";
import { defineCommand } from "./command.ts";
import { fields } from "./fields.ts";
import { visible, visibleLine } from "./visible.ts";

interface Notice extends Record<string, unknown> {
  id: string;
  kind: string;
  title: string;
  text: string;
  choices: string[] | null;
  raised_by: string | null;
  raised_at: string;
  state: string;
  choice: string | null;
  settled_by: string | null;
}

interface Listed {
  notices: Notice[];
  open: number;
  next: string | null;
}

export const list = defineCommand({
  people: true,
  examples: ["notices", "notices --all", "notices --limit 5 --before 1760000000000000"],
  details: "Shows what waits for a person: what agents ask, and what the hub has to say once.",
  options: {
    all: { type: "flag", description: "also those that are over" },
    limit: { type: "integer", value: "N", minimum: 1, maximum: 100, description: "at most so many (default 20)" },
    before: { type: "text", value: "ID", description: "go on with those before this one" },
  },
  async run(cli, { all, limit, before }) {
    const wanted = { ...(!all && { open: true }), ...(limit && { limit }), ...(before && { before }) };
    const listed = await cli.call<Listed>("notice_list", wanted);
    await cli.out.result(listed, () => {
      if (listed.notices.length === 0) return all ? "There are no notices." : "Nothing waits for a person.";
      const more = listed.next ? [`More: ${cli.line(`notices${all ? " --all" : ""} --before ${listed.next}`)}`] : [];
      return [...listed.notices.map((notice) => shown(cli, notice)), ...more].join("\n\n");
    });
  },
});

export const settle = defineCommand({
  people: true,
  examples: ["notice settle 1760000000000000", "notice settle 1760000000000000 --choice allow"],
  details: "The first answer counts. A notice that asks nothing is settled without a choice.",
  positionals: { id: { required: true, description: "its id, as notices shows it" } },
  options: { choice: { type: "text", value: "CHOICE", description: "the answer, one of its choices" } },
  async run(cli, { id, choice }) {
    const notice = await cli.call<Notice>("notice_settle", { id, ...(choice && { choice }) });
    await cli.out.result(notice, () => `Settled${choice ? ` with ${visibleLine(choice)}` : ""}.\n${fields(notice)}`);
  },
});

/** What somebody else wrote is indented, so that it can pass for no line of ours. */
function shown({ out }: Cli, notice: Notice): string {
  const { id, kind, title, text, choices, raised_by, raised_at, state, choice, settled_by } = notice;
  const how = [state, choice, settled_by && `by ${settled_by}`].filter(Boolean).join(" ");
  const about = [id, kind, raised_by ? `from ${raised_by}` : "from the hub", raised_at, state === "open" ? "" : how];
  const lines = text.trim() === "" ? [] : visible(text).split("\n");
  return [
    out.dim(visibleLine(about.filter(Boolean).join("  "))),
    `  ${out.bold(visibleLine(title))}`,
    ...lines.map((line) => `  ${line}`),
    ...(state === "open" && choices ? [`Choices: ${visibleLine(choices.join(", "))}`] : []),
  ].join("\n");
}
