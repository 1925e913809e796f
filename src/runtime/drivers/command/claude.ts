/** Claude Code without a person, its messages on both sides as lines of JSON. */
import { claudeServer, claude as runner } from "../../../runner/clients/index.ts";
import { HUB } from "../../toolset.ts";
import type { PermissionRequest, Usage } from "../program.ts";
import { type CommandDialect, type Hearing, isObject, numberIn, textIn } from "./dialect.ts";

/** As its hook calls itself, so that a rule is for both. */
const SERVER = "claude-code";
const OURS = /^mcp__parley__(?=[a-z_]+$)/;

const line = (message: object): string => `${JSON.stringify(message)}\n`;

export const claude: CommandDialect = {
  runner,
  hub_server: "parley",
  argv: ({ argv, session_id, is_resumed, url, headers }) => [
    ...argv,
    ...["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"],
    // It asks here, and not by a hook: so there is one card, and our policy decides of our own tools, too.
    ...["--permission-prompt-tool", "stdio"],
    ...(session_id === null ? [] : [is_resumed ? "--resume" : "--session-id", session_id]),
    // What a folder has servers for nobody has looked at: whoever wants some names them before these arguments.
    ...[...claudeServer(url, headers), "--strict-mcp-config"],
  ],
  prompt: (texts) => {
    const content = texts.map((text) => ({ type: "text", text }));
    return line({ type: "user", message: { role: "user", content } });
  },
  talks: {
    answer: (request_id, { arguments: args }, { permission, says, edited }) => {
      const response =
        permission === "allow"
          ? { behavior: "allow", updatedInput: edited ?? args ?? {} }
          : { behavior: "deny", message: says };
      return line({ type: "control_response", response: { subtype: "success", request_id, response } });
    },
    refuse: (request_id) =>
      line({
        type: "control_response",
        response: { subtype: "error", request_id, error: "There is none of that here." },
      }),
    interrupt: line({ type: "control_request", request_id: "interrupt", request: { subtype: "interrupt" } }),
  },
  hear: (message, hearing) => {
    const { type } = message;
    if (type === "assistant") hearing.taken();
    if (type === "assistant" || type === "user") hearContent(message, hearing);
    if (type === "control_request") hearQuestion(message, hearing);
    if (type === "control_cancel_request") hearing.asksNoMore(textIn(message.request_id));
    if (type === "result") hearResult(message, hearing);
  },
};

function hearContent({ type, message, parent_tool_use_id }: Record<string, unknown>, { report }: Hearing): void {
  const content = isObject(message) && Array.isArray(message.content) ? message.content.filter(isObject) : [];
  for (const block of content) {
    // What an agent of its own says is a matter between the two.
    if (type === "assistant" && block.type === "text" && !parent_tool_use_id) report.wrote(textIn(block.text));
    if (type === "assistant" && block.type === "tool_use")
      report.called({ id: textIn(block.id), tool: named(block.name), arguments: JSON.stringify(block.input ?? {}) });
    if (type === "user" && block.type === "tool_result")
      report.returned(textIn(block.tool_use_id), {
        ...{ outcome: block.is_error === true ? "failed" : "done", output: resultOf(block.content) },
      });
  }
}

function resultOf(content: unknown): string {
  if (!Array.isArray(content)) return textIn(content);
  return content
    .filter(isObject)
    .map(({ type, text }) => (type === "text" ? textIn(text) : `(${textIn(type)})`))
    .join("\n");
}

function hearQuestion({ request_id, request }: Record<string, unknown>, hearing: Hearing): void {
  if (!isObject(request) || request.subtype !== "can_use_tool") {
    // One that waits for an answer would wait for good.
    hearing.wantsMore(textIn(request_id));
    return;
  }
  const { tool_name, input, tool_use_id, description } = request;
  const args = isObject(input) ? input : {};
  const asked: PermissionRequest = {
    ...{ id: textIn(tool_use_id), server: OURS.test(textIn(tool_name)) ? HUB : SERVER, tool: named(tool_name) },
    ...{ arguments: args, about: textIn(description), can_allow: true, can_edit: true, takes_reason: true },
  };
  hearing.report.called({ ...asked, arguments: JSON.stringify(args) });
  hearing.asks(textIn(request_id), asked);
}

/** It counts its session's costs, by models: of one that is resumed from its beginning. */
function hearResult({ total_cost_usd, modelUsage }: Record<string, unknown>, hearing: Hearing): void {
  const models = isObject(modelUsage) ? Object.values(modelUsage).filter(isObject) : [];
  const sum = (...names: string[]): number =>
    models.reduce((total, model) => names.reduce((so_far, name) => so_far + numberIn(model[name]), total), 0);
  const usage: Usage = {
    cost_usd: numberIn(total_cost_usd),
    input_tokens: sum("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"),
    output_tokens: sum("outputTokens"),
  };
  hearing.taken();
  hearing.used(usage);
  hearing.ended();
}

const named = (name: unknown): string => textIn(name).replace(OURS, "");
