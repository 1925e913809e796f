import type { Answer, Driver, ModelMessage } from "../../runtime/index.ts";
import { type Asked, nextStep, type Step } from "./rules.ts";

const YIELD: Answer = { calls: [{ tool: "loop_yield_turn", arguments: "{}" }] };

/**
 * Answers by fixed rules, without any model. What somebody says while it is at something waits its turn: each is answered
 * once and in order, and what it is at follows from what was said and done in the turn.
 */
export const demoDriver = (now: () => number): Driver => ({
  name: "demo",
  sample: async ({ messages, turn_from }, signal) => {
    signal.throwIfAborted();
    const step = replay(messages.slice(turn_from), now);
    return step ? { calls: [{ tool: step.tool, arguments: JSON.stringify(step.arguments) }] } : YIELD;
  },
});

function replay(messages: readonly ModelMessage[], now: () => number): Step | undefined {
  const waiting = messages.some(isFromPerson) ? [] : [""];
  let asked: Asked | undefined;
  const next = (): Step | undefined => {
    for (;;) {
      const step = asked && nextStep(asked, { now: now(), is_asked: waiting.length > 0 });
      const content = step ? undefined : waiting.shift();
      if (content === undefined) return step;
      asked = { content, outputs: [] };
    }
  };
  for (const message of messages) {
    if (isFromPerson(message)) waiting.push(message.content);
    if (message.role === "assistant") next();
    if (message.role === "tool") asked?.outputs.push(message.output);
  }
  return next();
}

/** What a person said, not what the hub or the runtime tells the model. */
const isFromPerson = (message: ModelMessage): message is Extract<ModelMessage, { role: "user" }> =>
  message.role === "user" && !message.content.startsWith("<system notification>");
