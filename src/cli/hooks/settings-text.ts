/**
 * The text of a settings file with our hooks in it, and without them. Settings are strict JSON, as their clients read
 * them: keys, order, indentation, line ends and every number as it is spelled stay; how a person had laid out the rest
 * comes back with the copy that is kept.
 */
import { isThing } from "../core/sentence.ts";
import { type Group, isOurs, mentionsOurs, type Wanted } from "./handlers.ts";

export interface Found {
  event: string;
  group: Group;
  /** Which of its event's list. */
  at: number;
}

/** Says why nothing was done. */
export class Unusable extends Error {
  override readonly name = "Unusable";
}

type Settings = Readonly<Record<string, unknown>>;
type Hooks = Record<string, unknown[]>;

export function withHooks(text: string, wanted: Wanted): string {
  if (same(ours(text), wanted)) return text;
  const settings = readExact(withoutHooks(text)) ?? {};
  const hooks = { ...hooksOf(settings) };
  for (const { event, group } of wanted) hooks[event] = [...(hooks[event] ?? []), group];
  return written({ ...settings, hooks }, text);
}

/** `was` is what the person had before ours came: what was there then stays, be it empty. */
export function withoutHooks(text: string, was = ""): string {
  const settings = readExact(text);
  if (!settings || ours(text).length === 0) return text;
  const before = read(was);
  const theirs = before?.hooks === undefined ? undefined : hooksOf(before);
  const left = Object.entries(hooksOf(settings)).flatMap(([event, list]) => {
    const kept = list.flatMap(withoutOurs);
    // What is left empty was there for ours alone.
    return kept.length > 0 || list.length === 0 || theirs?.[event] ? [[event, kept]] : [];
  });
  const { hooks: _, ...rest } = settings;
  if (left.length === 0 && !theirs) return written(rest, text);
  return written({ ...settings, hooks: Object.fromEntries(left) }, text);
}

function withoutOurs(group: unknown): unknown[] {
  if (!isGroup(group) || !group.hooks.some(isOurs)) return [group];
  const hooks = group.hooks.filter((handler) => !isOurs(handler));
  return hooks.length > 0 ? [{ ...group, hooks }] : [];
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

function groups(text: string): Found[] {
  return Object.entries(hooksOf(read(text) ?? {})).flatMap(([event, list]) =>
    list.flatMap((group, at) => (isGroup(group) ? [{ event, group, at }] : [])),
  );
}

const isGroup = (value: unknown): value is Group =>
  typeof value === "object" && value !== null && "hooks" in value && Array.isArray(value.hooks);

function hooksOf({ hooks }: Settings): Hooks {
  if (hooks === undefined) return {};
  if (!isThing(hooks)) throw new Unusable('"hooks" is not an object in it');
  for (const [event, list] of Object.entries(hooks))
    if (!Array.isArray(list)) throw new Unusable(`"hooks" has no list for "${event}"`);
  // Checked just now.
  return hooks as Hooks;
}

const MARK = "\ufeff";

/** Undefined where there is nothing but blanks. */
function read(text: string, reviver?: Reviver): Settings | undefined {
  // A byte order mark is no part of the text, for the clients either.
  const json = text.startsWith(MARK) ? text.slice(1) : text;
  if (/^[\t\n\r ]*$/.test(json)) return undefined;
  const content = parse(json, reviver);
  if (!isThing(content)) throw new Unusable("it is JSON, but not an object");
  return content;
}

/** JSON.parse source text access, which Node has and TypeScript's library not yet. */
declare global {
  interface JSON {
    parse(text: string, reviver: Reviver | undefined): unknown;
    rawJSON(text: string): unknown;
  }
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

function parse(json: string, reviver: Reviver | undefined): unknown {
  try {
    return JSON.parse(json, reviver);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new Unusable(`its client cannot read it, ${cause.message}`, { cause });
  }
}

/** To be written again: a number that is read and written is another one, where it has more digits than we count. */
function readExact(text: string): Settings | undefined {
  let keys = 0;
  const settings = read(text, (_key, value, { source }) => {
    if (isThing(value)) keys += Object.keys(value).length;
    // What is a number here was spelled so.
    return typeof value === "number" ? JSON.rawJSON(source ?? String(value)) : value;
  });
  // Of two that have one key a client takes the last. Which one a person means nobody can say, and one would be lost.
  const spelled = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon).length;
  if (spelled !== keys) throw new Unusable("a key stands in it twice");
  return settings;
}

/** As the text before it was laid out. */
function written(settings: Settings, before: string): string {
  const inside = before.trim();
  const oneLine = !inside.includes("\n") && !/^\ufeff?(\{\s*\})?$/.test(inside);
  const indent = oneLine ? "" : (/^([\t ]+)\S/m.exec(before)?.[1] ?? "  ");
  const end = inside === "" || /\n$/.test(before) ? "\n" : "";
  const text = `${JSON.stringify(settings, null, indent)}${end}`;
  const mark = before.startsWith(MARK) ? MARK : "";
  return mark + (before.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text);
}

const same = (found: readonly Found[], wanted: Wanted): boolean => {
  const lines = (all: Wanted): string[] => all.map((each) => JSON.stringify(exactly(each))).sort();
  return JSON.stringify(lines(found)) === JSON.stringify(lines(wanted));
};

/** All that it says, in whatever order. */
const exactly = ({ event, group: { hooks, ...rest } }: { event: string; group: Group }) =>
  [event, sorted(rest), hooks.map(sorted)] as const;

const sorted = (value: object): unknown[] => Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
