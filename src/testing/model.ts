/** A model that a test is: it hears every question, and answers when the test says so. */
import type { Answer, Driver, ModelMessage, SampleRequest } from "../runtime/drivers/driver.ts";

export const call = (tool: string, args: object = {}): Answer["calls"][number] => ({
  tool,
  arguments: JSON.stringify(args),
});

export const YIELD = call("loop_yield_turn");
export const say = (content: string): Answer["calls"][number] => call("chat_assistant_post", { content });

export class Model implements Driver {
  readonly name = "test";
  readonly requests: SampleRequest[] = [];
  readonly #waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void }[] = [];
  readonly #answers: (Answer | Error)[] = [];

  sample(request: SampleRequest, signal: AbortSignal): Promise<Answer> {
    this.requests.push(structuredClone(request));
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const asked = { resolve, reject };
    const leave = (): void => {
      const at = this.#waiting.indexOf(asked);
      if (at >= 0) this.#waiting.splice(at, 1);
      reject(new Error("aborted"));
    };
    signal.addEventListener("abort", leave, { once: true });
    this.#waiting.push(asked);
    this.#meet();
    return promise;
  }

  /** The next answer, to a question that was asked or will be. */
  answers(...calls: Answer["calls"]): void {
    this.answer({ calls });
  }

  answer(answer: Answer | Error): void {
    this.#answers.push(answer);
    this.#meet();
  }

  /** What people had said in the last question, and in the one before. */
  get heard(): string[] {
    return textsOf(this.requests.at(-1)?.messages ?? []);
  }

  #meet(): void {
    while (this.#waiting.length > 0 && this.#answers.length > 0) {
      const [asked, answer] = [this.#waiting.shift(), this.#answers.shift()];
      if (answer instanceof Error) asked?.reject(answer);
      else if (answer) asked?.resolve(answer);
    }
  }
}

export const textsOf = (messages: readonly ModelMessage[]): string[] =>
  messages.flatMap((message) => (message.role === "user" ? [message.content] : []));
