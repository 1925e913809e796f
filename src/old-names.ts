/** What tools of before there was a chat to post to and a loop to yield are called now: `--compat v1`. */
export const V1_NAMES: Readonly<Record<string, string>> = {
  ui_send_message: "chat_assistant_post",
  ui_end_turn: "loop_yield_turn",
};

/** One tool is one to every rule, whatever a model calls it. */
export const currentName = (tool: string): string => (Object.hasOwn(V1_NAMES, tool) ? V1_NAMES[tool] : tool) ?? tool;
