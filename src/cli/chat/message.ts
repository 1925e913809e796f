import { visible, visibleLine } from "../../visible.ts";
import type { Output } from "../core/output.ts";
import type { Output as ToolOutput } from "../core/tool-types.ts";

/** As `chat_read_since` gives it. */
export type Page = ToolOutput<"chat_read_since">;
type Message = Page["messages"][number];

/** What a message says is indented, so that it can pass for no heading of ours. */
export function shown(message: Message, out: Output): string {
  const { id, ts, author_principal, content } = message;
  const heading = `${out.dim(visibleLine(out.clock(ts)))}  ${out.bold(visibleLine(author_principal))}  ${out.dim(visibleLine(id))}`;
  const body = visible(content)
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
  return `${heading}\n${body}`;
}
