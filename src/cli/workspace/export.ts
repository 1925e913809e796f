import { ACTING_OPTIONS } from "../core/acting.ts";
import { callAs } from "../core/call-as.ts";
import { defineCommand, text } from "../core/command.ts";

export const exportDraft = defineCommand({
  examples: ["draft export", "draft export --as html"],
  details: "As it was written, for a file: parley draft export > report.md",
  format: "text",
  options: {
    as: text("FORMAT", "as what (default markdown)", { choices: ["markdown", "html"] }),
    ...ACTING_OPTIONS,
  },
  async run(cli, { as: format = "markdown", ...as }) {
    const exported = await callAs(cli, as, "draft_export", { format });
    await cli.out.result(exported, () => exported.content.trimEnd());
  },
});
