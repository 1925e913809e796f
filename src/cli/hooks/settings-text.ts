/** The text of a settings file with our hooks in it, and without them. Everything else keeps its bytes. */
import { append, isBlank, remove } from "./edit.ts";
import { type Group, isOurs, mentionsOurs, type Wanted } from "./handlers.ts";
import { contentOf, JsonTextError, type Node, parseJsonText } from "./json-text.ts";

export interface Found {
  event: string;
  group: Group;
  /** Which of its event's list. */
  at: number;
}

/** Says in which line, and why nothing was done. */
export class Unusable extends Error {
  override readonly name = "Unusable";
}

export function withHooks(text: string, wanted: Wanted): string {
  if (same(ours(text), wanted)) return text;
  let next = withoutHooks(text);
  if (read(next) === undefined) next = `${next}{}\n`;
  if (!("hooks" in (read(next) ?? {}))) next = append(next, [], {}, "hooks");
  for (const { event, group } of wanted) {
    if (!(event in hooksOf(next))) next = append(next, ["hooks"], [], event);
    next = append(next, ["hooks", event], group);
  }
  return checked(next, { before: text, wanted });
}

/** `was` is what the person had before ours came: what was there then stays, be it empty. */
export function withoutHooks(text: string, was = ""): string {
  let next = text;
  for (const { path } of places(text).reverse()) next = remove(next, path);
  if (next === text) return text;
  const theirs = read(was)?.hooks === undefined ? undefined : hooksOf(was);
  // What is left empty was there for ours alone.
  for (const event of new Set(places(text).map((place) => place.event)))
    if (!theirs?.[event] && isBlank(next, ["hooks", event])) next = remove(next, ["hooks", event]);
  if (!theirs && isBlank(next, ["hooks"])) next = remove(next, ["hooks"]);
  return checked(next, { before: text, wanted: [] });
}

/** Groups that are ours, or what is ours of them. */
export function ours(text: string): Found[] {
  return groups(text).flatMap(({ event, group, at }) => {
    const hooks = group.hooks.filter(isOurs);
    return hooks.length > 0 ? [{ event, group: { ...group, hooks }, at }] : [];
  });
}

/** Commands that name Parley's hooks and are not ours: what somebody made of them. */
export const altered = (text: string): { event: string; command: string }[] =>
  groups(text).flatMap(({ event, group }) =>
    group.hooks
      .filter((handler) => !isOurs(handler) && mentionsOurs(handler))
      .map(({ command }) => ({ event, command })),
  );

/** Events whose hooks are not exactly those, handler by handler, nothing more and nothing less. */
export function differing(text: string, wanted: Wanted): string[] {
  const found = Map.groupBy(ours(text).map(exactly), ([event]) => event);
  const meant = Map.groupBy(wanted.map(exactly), ([event]) => event);
  return [...new Set([...found.keys(), ...meant.keys()])].filter(
    (event) => JSON.stringify(found.get(event)) !== JSON.stringify(meant.get(event)),
  );
}

/** Whether the client was told to run no hooks at all, or none of ours. */
export function allDisabled(text: string): boolean {
  const { disableAllHooks, allowManagedHooksOnly } = read(text) ?? {};
  return disableAllHooks === true || allowManagedHooksOnly === true;
}

/** Each thing to take away: a whole group if nothing else is in it, otherwise a single handler. */
function places(text: string): { event: string; path: (string | number)[] }[] {
  return groups(text).flatMap(({ event, group, at }) => {
    const mine = group.hooks.flatMap((handler, index) => (isOurs(handler) ? [index] : []));
    if (mine.length === 0) return [];
    const path = ["hooks", event, at];
    if (mine.length === group.hooks.length) return [{ event, path }];
    return mine.map((index) => ({ event, path: [...path, "hooks", index] }));
  });
}

function groups(text: string): { event: string; group: Group; at: number }[] {
  return Object.entries(hooksOf(text)).flatMap(([event, list]) =>
    list.flatMap((group, at) => (isGroup(group) ? [{ event, group, at }] : [])),
  );
}

const isGroup = (value: unknown): value is Group =>
  typeof value === "object" && value !== null && "hooks" in value && Array.isArray(value.hooks);

function hooksOf(text: string): Record<string, unknown[]> {
  const hooks = read(text)?.hooks;
  if (hooks === undefined) return {};
  if (!isObject(hooks)) throw new Unusable('"hooks" is no object in it');
  for (const [event, list] of Object.entries(hooks))
    if (!Array.isArray(list)) throw new Unusable(`"hooks" has no list for "${event}"`);
  // Checked just now.
  return hooks as Record<string, unknown[]>;
}

/** Undefined where there is nothing but blanks. */
function read(text: string): Record<string, unknown> | undefined {
  try {
    const node = parseJsonText(text);
    if (node) refuseRepeated(text, node);
    const content = node && contentOf(node);
    if (content === undefined || isObject(content)) return content;
  } catch (error) {
    if (error instanceof JsonTextError) throw new Unusable(`its client cannot read it, ${error.message}`);
    throw error;
  }
  throw new Unusable("it is JSON, but no object");
}

/** Of two that have one key a client takes the last. Which one a person means, and where ours would go, nobody can say. */
function refuseRepeated(text: string, node: Node, inHooks = false): void {
  if (node.kind === "array") for (const item of node.items) refuseRepeated(text, item, inHooks);
  if (node.kind !== "object") return;
  for (const [at, { key, value, from }] of node.members.entries()) {
    if (!inHooks && key !== "hooks") continue;
    if (node.members.findIndex((member) => member.key === key) < at)
      throw new Unusable(
        `${JSON.stringify(key)} stands there twice, again in line ${text.slice(0, from).split("\n").length}`,
      );
    refuseRepeated(text, value, true);
  }
}

/** Whatever our editing did: nothing but our own lines may have changed. Otherwise it is a bug, and nothing is written. */
function checked(next: string, { before, wanted }: { before: string; wanted: Wanted }): string {
  if (!same(ours(next), wanted) || JSON.stringify(foreign(next)) !== JSON.stringify(foreign(before)))
    throw new Error("the change would have touched what is not ours; nothing was changed");
  return next;
}

/** All that is not ours, in its order. What is empty for want of ours counts as not there. */
function foreign(text: string): unknown {
  const { hooks: _, ...rest } = read(text) ?? {};
  const kept = Object.entries(hooksOf(text)).flatMap(([event, list]) => {
    const others = list.flatMap((group) => {
      if (!isGroup(group) || !group.hooks.some(isOurs)) return [group];
      const hooks = group.hooks.filter((handler) => !isOurs(handler));
      return hooks.length > 0 ? [{ ...group, hooks }] : [];
    });
    return others.length > 0 ? [[event, others]] : [];
  });
  return { rest, hooks: kept };
}

const same = (found: readonly Found[], wanted: Wanted): boolean => {
  const lines = (all: Wanted): string[] => all.map((each) => JSON.stringify(exactly(each))).sort();
  return JSON.stringify(lines(found)) === JSON.stringify(lines(wanted));
};

/** All that it says, in whatever order. */
const exactly = ({ event, group: { hooks, ...rest } }: { event: string; group: Group }) =>
  [event, sorted(rest), hooks.map(sorted)] as const;

const sorted = (value: object): unknown[] => Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
