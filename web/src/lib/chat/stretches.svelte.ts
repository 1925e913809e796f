import type { Message } from "#lib/hub/types.ts";
import { covers, EMPTY, has, joined, type Stretch, withMore } from "./stretch.ts";

/** What is known of a chat: up to its newest message, and perhaps a stretch further back that is shown in its place. */
export class Stretches {
  #tail = $state.raw<Stretch>(EMPTY);
  /** Around the message of a link, as long as it does not reach the other one. */
  #away = $state.raw<Stretch>();
  readonly shown = $derived(this.#away ?? this.#tail);
  readonly is_away = $derived(this.#away !== undefined);
  readonly newest = $derived(this.#tail.messages);

  begin(tail: Stretch): void {
    this.#tail = tail;
    this.#away = undefined;
  }

  /** What was said now. */
  add(more: readonly Message[]): void {
    const messages = withMore(this.#tail.messages, more);
    if (messages !== this.#tail.messages) this.#tail = { ...this.#tail, messages };
  }

  /** What lies before the first one that is shown, unless that is another one by now. */
  addBefore(first: Message, { messages, has_earlier }: Stretch): void {
    if (this.shown.messages[0] !== first) return;
    const stretch = { messages: [...messages, ...this.shown.messages], has_earlier };
    if (this.#away) this.#away = stretch;
    else this.#tail = stretch;
  }

  /** What lies after the last one that is shown, unless that is another one by now. */
  addAfter(last: Message, messages: readonly Message[]): void {
    const away = this.#away;
    if (away?.messages.at(-1) === last) this.go({ ...away, messages: [...away.messages, ...messages] });
  }

  go(stretch: Stretch): void {
    const whole = joined(stretch, this.#tail);
    if (whole) this.#tail = whole;
    this.#away = whole ? undefined : stretch;
  }

  home(): void {
    this.#away = undefined;
  }

  /** Shows the one that the message is in. Undefined when it is in neither, and may be elsewhere. */
  find(id: string): boolean | undefined {
    if (!covers(this.shown, id)) {
      if (!covers(this.#tail, id)) return undefined;
      this.#away = undefined;
    }
    return has(this.shown, id);
  }
}
