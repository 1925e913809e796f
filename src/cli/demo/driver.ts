import type { Answer, Driver, ModelMessage } from "../../runtime/index.ts";
import { type Asked, LATER, nextStep, type Step, type Surroundings } from "./rules.ts";

const YIELD: Answer = { calls: [{ tool: "loop_yield_turn", arguments: "{}" }] };

/**
 * Answers by fixed rules, without any model. What somebody says while it is at something waits its turn: each is answered
 * once and in order, and what it is at follows from what was said and done in the turn.
 */
export const demoDriver = (around: Surroundings): Driver => ({
  name: "demo",
  sample: async ({ messages, turn_from }, signal) => {
    signal.throwIfAborted();
    const step = replay(messages.slice(turn_from), around);
    return step ? { calls: [{ tool: step.tool, arguments: JSON.stringify(step.arguments) }] } : YIELD;
  },
});

function replay(messages: readonly ModelMessage[], around: Surroundings): Step | undefined {
  const waiting = messages.some(isFromPerson) ? [] : [""];
  /** What it is not through with, and takes up again when nobody has said anything else. */
  const put_off: Asked[] = [];
  let asked: Asked | undefined;
  const another = (): Asked | undefined => {
    const content = waiting.shift();
    if (content !== undefined) return { content, outputs: [], from: 0 };
    const again = put_off.shift();
    return again && { ...again, from: again.outputs.length };
  };
  const stepOf = (asked: Asked): ReturnType<typeof nextStep> => {
    const since = asked.outputs.length - asked.from;
    const is_others_turn = put_off.length > 0 && since > 0;
    return nextStep(asked, { ...around, is_asked: waiting.length > 0, is_others_turn, since });
  };
  const next = (): Step | undefined => {
    for (;;) {
      const step = asked && stepOf(asked);
      if (step !== undefined && step !== LATER) return step;
      if (asked && step === LATER) put_off.push(asked);
      asked = another();
      if (!asked) return undefined;
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
