import type { Message } from "#lib/hub/types.ts";

/** Messages that follow each other in the hub, without a gap. */
export interface Stretch {
  readonly messages: readonly Message[];
  /** Whether there is anything before the first of them. */
  readonly has_earlier: boolean;
}

export const EMPTY: Stretch = { messages: [], has_earlier: false };

/** Ids are positions; as numbers they can be compared. */
export const isAfter = (one: string, other: string): boolean => Number(one) > Number(other);

/** Adds what came, each message once and in order. The same object when there was nothing new in it. */
export function withMore(known: readonly Message[], more: readonly Message[]): readonly Message[] {
  const last = known.at(-1);
  if (more.length === 0) return known;
  if (!last || more.every(({ id }) => isAfter(id, last.id))) return [...known, ...more];
  const ids = new Set(known.map(({ id }) => id));
  const added = more.filter(({ id }) => !ids.has(id));
  return added.length === 0 ? known : [...known, ...added].sort((a, b) => Number(a.id) - Number(b.id));
}

/** Both as one, if the earlier one reaches the later one. */
export function joined(earlier: Stretch, later: Stretch): Stretch | undefined {
  const end = earlier.messages.at(-1);
  const [begin] = later.messages;
  if (!end || !begin || isAfter(begin.id, end.id)) return undefined;
  return { messages: withMore(earlier.messages, later.messages), has_earlier: earlier.has_earlier };
}

/** Whether the stretch covers that position: a message that is not in it is then nowhere. */
export function covers({ messages, has_earlier }: Stretch, id: string): boolean {
  const [first] = messages;
  const last = messages.at(-1);
  if (!first || !last) return !has_earlier;
  return !isAfter(id, last.id) && (!has_earlier || !isAfter(first.id, id));
}

export const has = ({ messages }: Stretch, id: string): boolean => messages.some((message) => message.id === id);
