import { currentName } from "../old-names.ts";
import type { ModelCall } from "./drivers/driver.ts";
import { failure } from "./toolset.ts";

export const TOOLS_OFF = {
  decision: "deny_continue",
  output: failure("TOOLS_OFF", "Your tools are off until a person lets you use them. You can speak and end your turn.")
    .output,
} as const;

/** What an agent has whose tools are off: its words, and the end of its turn. */
export const isSpeech = (call: ModelCall): boolean => isYield(call) || currentName(call.tool) === "chat_assistant_post";

export const isYield = ({ tool }: ModelCall): boolean => currentName(tool) === "loop_yield_turn";
