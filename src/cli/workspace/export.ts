import { ACTING_OPTIONS } from "../core/acting.ts";
import { callAs } from "../core/call-as.ts";
import { defineCommand } from "../core/command.ts";

export const exportDraft = defineCommand({
  examples: ["draft export", "draft export --as html"],
  details: "As it was written, for a file: parley draft export > report.md",
  format: "text",
  options: {
    as: { type: "text", value: "FORMAT", choices: ["markdown", "html"], description: "as what (default markdown)" },
    ...ACTING_OPTIONS,
  },
  async run(cli, { as: format = "markdown", ...as }) {
    const exported = await callAs(cli, as, "draft_export", { args: { format } });
    await cli.out.result(exported, () => exported.content.trimEnd());
  },
});
