import { visible } from "../../visible.ts";
import { defineCommand, text } from "../core/command.ts";
import type { Output } from "../core/tool-types.ts";

/** As much as one answer may have. */
const PAGE = 128 * 1024;

export const output = defineCommand({
  examples: ["output 1763366400000000", "output 1763366400000000 --agent scout --part arguments"],
  details: "All of it, where parley timeline and the page have how it begins. The id is that of the call there.",
  format: "text",
  positionals: { id: { required: true, description: "which call, as timeline shows it" } },
  options: {
    agent: text("NAME", "which agent's; the space's default one if left out"),
    part: text("PART", "what it gave, or what it was given (default output)", { choices: ["output", "arguments"] }),
  },
  async run(cli, { id, agent, part: named }) {
    const part = named === "arguments" ? named : "output";
    let whole = "";
    for (let offset: number | null = 0; offset !== null; ) {
      const page: Output<"timeline_text"> = await cli.call("timeline_text", { agent, id, part, offset, limit: PAGE });
      whole += page.text;
      offset = page.next_offset;
    }
    await cli.out.result({ id, part, text: whole }, () => visible(whole), [id]);
  },
});
