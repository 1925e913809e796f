/**
 * A model that says what a file has it say: for tests, and to show what there is. Of the rules the first counts whose
 * `when` fits the newest thing a person said; each of its steps is one answer, and after the last the turn is over. What
 * somebody says in the middle of it is answered after that, before the turn ends.
 */
import { z } from "zod";
import type { Answer, Driver, ModelMessage, SampleRequest } from "./driver.ts";

const Call = z.strictObject({
  tool: z.string().min(1).max(200),
  arguments: z.record(z.string(), z.unknown()).default({}),
});
/** What a model should not do, and does. */
const Text = z.strictObject({ text: z.string() });
const Step = z.union([Call, z.array(Call).min(1).max(20), Text]);
type Step = z.infer<typeof Step>;

const isPattern = (text: string): boolean => {
  try {
    new RegExp(text, "su");
    return true;
  } catch {
    // It is refused, with where it stands.
    return false;
  }
};

export const Script = z.strictObject({
  rules: z.array(
    z.strictObject({
      when: z.string().max(1000).refine(isPattern, "this is no regular expression"),
      steps: z.array(Step).max(100),
    }),
  ),
});
export type Script = z.infer<typeof Script>;

const YIELD: Answer = { calls: [{ tool: "loop_yield_turn", arguments: "{}" }] };

export const scripted = ({ rules }: Script): Driver => ({
  name: "scripted",
  sample: async (request, signal) => {
    signal.throwIfAborted();
    const { text, step, result } = placeIn(request, (text) => stepsFor(rules, text).length);
    const next = stepsFor(rules, text)[step];
    return next === undefined ? YIELD : answerOf(next, { text, result });
  },
});

const stepsFor = (rules: Script["rules"], text: string): readonly Step[] =>
  rules.find(({ when }) => new RegExp(when, "su").test(text))?.steps ?? [];

interface Position {
  text: string;
  step: number;
  /** What came of the step before. */
  result: string;
}

/** Where it is in which rule, from what was said and done in the turn. */
function placeIn({ messages, turn_from }: SampleRequest, lengthOf: (text: string) => number): Position {
  const before = messages.slice(0, turn_from).findLast(isSaid)?.content ?? "";
  let place: Position = { text: before, step: 0, result: "" };
  let newest: string | undefined;
  let results: string[] = [];
  let answers = 0;
  for (const message of messages.slice(turn_from)) {
    if (isSaid(message)) newest = message.content;
    if (message.role === "tool") results.push(message.output);
    if (message.role !== "assistant") continue;
    place = after(place, { newest, lengthOf, answers });
    place = { ...place, step: place.step + 1 };
    answers += 1;
    [newest, results] = [undefined, []];
  }
  place = after(place, { newest, lengthOf, answers });
  return { ...place, result: place.step === 0 ? "" : results.join("\n") };
}

/** The next rule begins with what was said last, at first and whenever one is through. */
function after(
  place: Position & { waiting?: string },
  { newest, lengthOf, answers }: { newest: string | undefined; lengthOf: (text: string) => number; answers: number },
): Position & { waiting?: string } {
  const waiting = newest ?? place.waiting;
  const isThrough = answers === 0 || place.step >= lengthOf(place.text);
  if (waiting !== undefined && isThrough) return { text: waiting, step: 0, result: "" };
  return waiting === undefined ? place : { ...place, waiting };
}

/** What a person said, not what the hub or the runtime tells the model. */
const isSaid = (message: ModelMessage): message is Extract<ModelMessage, { role: "user" }> =>
  message.role === "user" && !message.content.startsWith("<system notification>");

function answerOf(step: Step, values: Record<string, string>): Answer {
  if ("text" in step) return { text: fill(step.text, values), calls: [] };
  const calls = Array.isArray(step) ? step : [step];
  return {
    calls: calls.map(({ tool, arguments: args }) => ({ tool, arguments: JSON.stringify(filled(args, values)) })),
  };
}

function filled(value: unknown, values: Record<string, string>): unknown {
  if (typeof value === "string") return fill(value, values);
  if (Array.isArray(value)) return value.map((one) => filled(one, values));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, values)]));
}

/** In one go: what is filled in stays as it is. */
const fill = (text: string, values: Record<string, string>): string =>
  text.replace(/\{\{(text|result)\}\}/g, (_, name: string) => values[name] ?? "");
