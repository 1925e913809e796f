/** Codex without a person: it is given its prompt, and is told nothing more. It never asks: what it may do its sandbox says. */
import { CODEX_SERVER, codexServer, codex as runner } from "../../../runner/clients/index.ts";
import { type CommandDialect, type Hearing, isObject, numberIn, textIn } from "./dialect.ts";

type Item = Record<string, unknown>;

/** What it tells of no call: its words, its thoughts, its plan, and what it has to remark. */
const NO_CALLS = ["agent_message", "reasoning", "todo_list", "error"];
const FAILED = ["failed", "declined"];

export const codex: CommandDialect = {
  runner,
  hub_server: CODEX_SERVER,
  argv: ({ argv, session_id, url, env, headers }) => [
    ...argv,
    ...["exec", "--json", "--skip-git-repo-check", ...codexServer(url, env, headers)],
    ...(session_id === null ? [] : ["resume", session_id]),
    "-",
  ],
  prompt: (texts) => texts.join("\n\n"),
  hear: (message, hearing) => {
    const { type, item, usage } = message;
    if (textIn(type).startsWith("item.") && isObject(item)) hearItem(textIn(type), item, hearing);
    if (type === "turn.completed") {
      const { input_tokens, output_tokens } = isObject(usage) ? usage : {};
      hearing.used({ input_tokens: numberIn(input_tokens), output_tokens: numberIn(output_tokens) });
    }
    if (type !== "turn.completed" && type !== "turn.failed") return;
    hearing.taken();
    hearing.ended();
  },
};

function hearItem(event: string, item: Item, hearing: Hearing): void {
  const { id, type, text } = item;
  if (type === "error") return;
  const { report } = hearing;
  hearing.taken();
  if (type === "agent_message" && event === "item.completed") report.wrote(textIn(text));
  if (NO_CALLS.includes(textIn(type))) return;
  report.called({ id: textIn(id), ...callOf(item) });
  if (event === "item.completed") report.returned(textIn(id), resultOf(item));
}

/** By its own name, and what else it says of it before it is done. */
function callOf({ type, command, changes, server, tool, arguments: args, query }: Item) {
  if (type === "mcp_tool_call") {
    const name = server === CODEX_SERVER ? textIn(tool) : `mcp__${textIn(server)}__${textIn(tool)}`;
    return { tool: name, arguments: JSON.stringify(args ?? {}) };
  }
  return { tool: textIn(type), arguments: JSON.stringify({ command, changes, query }) };
}

function resultOf({ type, status, aggregated_output, exit_code, changes, result, error }: Item) {
  const outcome = FAILED.includes(textIn(status)) || isObject(error) ? ("failed" as const) : ("done" as const);
  if (type === "command_execution")
    return { outcome, output: textIn(aggregated_output) || `It ended with ${exit_code}.` };
  if (isObject(error)) return { outcome, output: textIn(error.message) };
  if (isObject(result)) return { outcome, output: contentOf(result) };
  return { outcome, output: Array.isArray(changes) ? JSON.stringify(changes) : "" };
}

function contentOf({ content }: Item): string {
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  return blocks.map(({ type, text }) => (type === "text" ? textIn(text) : `(${textIn(type)})`)).join("\n");
}
