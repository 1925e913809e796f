/**
 * What `static/first.js` asked the hub while this code was still on its way. With the answers at hand the first view is
 * drawn whole and at once; drawn in pieces, it would be laid out for each of them.
 * - They are a glance, taken once: whatever is shown of them is read again as soon as it is listened to.
 * - Everything else that the page wants to know waits until that is drawn.
 */
import type { HttpResponse, Transport } from "$client/index.ts";
import { isRecord } from "./contents.ts";
import type { Tools } from "./types.ts";

interface Answer extends Pick<HttpResponse, "status" | "type" | "date"> {
  text: string;
  /** When it came, by our own clock. */
  heard_at: number;
}

interface Question {
  /** Once it is there. */
  answer?: Answer;
  /** Undefined when it was refused, or nobody answered. */
  coming: Promise<Answer | undefined>;
}

declare global {
  var parley_first: Map<string, Question> | undefined;
}

const PATIENCE_MS = 250;

const questions = globalThis.parley_first ?? new Map<string, Question>();
let drawn: Promise<void> | undefined;

/** Resolves when every answer is there, or is late: then the page is drawn without. */
export async function firstAnswers(): Promise<void> {
  if (questions.size === 0) return;
  const all = Promise.all([...questions.values()].map(({ coming }) => coming));
  await Promise.race([all, pause(PATIENCE_MS)]);
}

/** How far the hub's clock is ahead of ours, if one of the answers has come. */
export function firstAhead(): number | undefined {
  const { date, heard_at } = [...questions.values()].find(({ answer }) => answer)?.answer ?? {};
  return date === undefined || heard_at === undefined ? undefined : Date.parse(date) - heard_at;
}

/** The result of what was asked already, if it has come. */
function firstResult(method: string, params: object): Record<string, unknown> | undefined {
  const key = keyOf(method, params);
  const answer = questions.get(key)?.answer;
  if (!answer?.type.startsWith("application/json")) return undefined;
  questions.delete(key);
  const message: unknown = JSON.parse(answer.text);
  return isRecord(message) && isRecord(message.result) && !message.result.isError ? message.result : undefined;
}

/** The same of a tool. */
export function firstOutput<N extends keyof Tools>(name: N, args: Tools[N]["input"]): Tools[N]["output"] | undefined {
  const output = firstResult("tools/call", { name, arguments: args })?.structuredContent;
  // The hub has checked its own output against the schema that this type is of.
  return isRecord(output) ? (output as Tools[N]["output"]) : undefined;
}

/** Whoever comes next asks for themselves. */
export const forgetFirst = (): void => questions.clear();

/** Takes an answer that is still on its way, too, instead of asking twice. */
export function withFirst(transport: Transport): Transport {
  if (questions.size === 0) return transport;
  return async (request) => {
    const question = questionOf(request.body);
    const answer = question && (await Promise.race([question.coming, aborted(request.signal)]));
    if (answer) return { ...answer, body: async (take) => take(answer.text) };
    if (!question) await firstView();
    return transport(request);
  };
}

function questionOf(body: string | undefined): Question | undefined {
  if (questions.size === 0 || body === undefined) return undefined;
  const { method, params } = JSON.parse(body);
  const { _meta, ...rest } = params;
  const key = keyOf(method, rest);
  const question = questions.get(key);
  questions.delete(key);
  return question;
}

const aborted = (signal: AbortSignal | undefined): Promise<undefined> =>
  new Promise((resolve) => signal?.addEventListener("abort", () => resolve(undefined), { once: true }));

const keyOf = (method: string, params: object): string => JSON.stringify([method, params]);

/** Resolves when it has been drawn. A tab that nobody sees draws nothing, and waits a moment instead. */
function firstView(): Promise<void> {
  drawn ??= Promise.race([new Promise(requestAnimationFrame).then(() => pause(0)), pause(PATIENCE_MS)]).then(
    forgetAnswered,
  );
  return drawn;
}

/** What nobody wanted by then is old when somebody does. What is still on its way is not. */
function forgetAnswered(): void {
  for (const [key, { coming }] of questions) void coming.then(() => questions.delete(key));
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
