/** How it is known what led to something: somebody said so, their token is that run's, it answers it, or the hub reacted. */
export const CAUSE_HOW = ["declared", "credential", "reply", "reaction"] as const;
export type CauseHow = (typeof CAUSE_HOW)[number];

/** What led to an event, by its id, which is always the smaller one. */
export interface Cause {
  id: number;
  how: CauseHow;
}

/** One entry of a space's feed. What its data are says the definition of its type (`define.ts`), and nothing else does. */
export interface FeedEvent<Data extends object = object> {
  id: number;
  /** `noun.past`, such as `chat.posted`. */
  type: string;
  /** The module's word for who may care, such as `chat`. */
  topic: string;
  /** Which stream of that topic, such as an inbox. */
  stream: string;
  /** The thing it is about: its own id when the event created it. */
  ref: number;
  actor_id: string;
  /** Small facts, stored with the event. */
  data: Data;
  /** Carried to listeners of this node only, never stored: what a hint may bring along. */
  live?: unknown;
}

/** What some of its readers are told of an event, by what it holds alone; null where it is nothing to them. */
export type EventView = (event: FeedEvent) => object | null;
