/**
 * Changes JSON as text: what is not concerned keeps its bytes, comments, order and indentation included. Each function
 * takes a text and gives one; nothing here writes a file.
 */
import { type Node, parseJsonc, skipBlanks } from "./jsonc.ts";

export type Path = readonly (string | number)[];

/** Adds to the end of the array there, or a member to the end of the object. */
export function append(text: string, path: Path, value: unknown, key?: string): string {
  const container = find(text, path);
  const style = styleOf(text);
  const children = childrenOf(container);
  const last = children.at(-1);
  const indent = last ? indentAt(text, last.from, style) : `${lineIndent(text, container.from)}${style.unit}`;
  const label = key === undefined ? "" : `${JSON.stringify(key)}:${style.newline ? " " : ""}`;
  const added = `${style.newline}${style.newline && indent}${label}${serialized(value, style, indent)}`;
  if (!last) return fill(text, container, added, style);

  const comma = commaAfter(text, last.to);
  const at = lineTail(text, comma ?? last.to);
  // Where the last one has a comma, the new last one has one too.
  const longer = `${text.slice(0, at)}${added}${comma === undefined ? "" : ","}${text.slice(at)}`;
  return comma === undefined ? `${longer.slice(0, last.to)},${longer.slice(last.to)}` : longer;
}

/** Takes away the item or the member there, and the comma that belonged to it. */
export function remove(text: string, path: Path): string {
  const container = find(text, path.slice(0, -1));
  const children = childrenOf(container);
  const at = indexOf(container, path.at(-1));
  const child = children[at];
  if (!child) throw new Error(`nothing at ${path.join(".")}`);
  const before = children[at - 1];
  const comma = commaAfter(text, child.to);
  // What is said between it and its comma stays.
  const apart = comma !== undefined && text.slice(child.to, comma - 1).trim() !== "";
  const end = apart ? child.to : (comma ?? child.to);
  const gap = text.slice(before ? (commaAfter(text, before.to) ?? before.to) : container.from + 1, child.from);
  const cuts: [number, number][] = [[cutFrom(text, child.from, end, gap), end]];
  if (apart) cuts.push([comma - 1, comma]);
  // The last one leaves a comma behind it that was put there for it.
  if (before && comma === undefined) {
    const of = commaAfter(text, before.to);
    if (of !== undefined) cuts.push([of - 1, of]);
  }
  if (children.length === 1 && `${gap}${text.slice(end, container.to - 1)}`.trim() === "")
    cuts.push([end, container.to - 1]);
  return cuts.sort(([a], [b]) => b - a).reduce((rest, [from, to]) => rest.slice(0, from) + rest.slice(to), text);
}

/** Whether there is nothing in it, and no comment either. */
export function isBlank(text: string, path: Path): boolean {
  const { from, to } = find(text, path);
  return text.slice(from + 1, to - 1).trim() === "";
}

/** With the blanks before it, unless a comment would then run on into what follows. */
function cutFrom(text: string, from: number, end: number, gap: string): number {
  const comment = /\/\/[^\n]*$/.test(gap.trimEnd());
  return comment && !/^[\t ]*\r?\n/.test(text.slice(end)) ? from : blanksBefore(text, from);
}

function find(text: string, path: Path): Node {
  let node = parseJsonc(text);
  for (const step of path) {
    const child = node && childrenOf(node)[indexOf(node, step)];
    node = child && "value" in child && "key" in child ? child.value : child;
  }
  if (!node) throw new Error(`nothing at ${path.join(".")}`);
  return node;
}

interface Style {
  /** Empty in a text of one line, which stays one. */
  newline: string;
  unit: string;
}

function styleOf(text: string): Style {
  const inside = text.trim();
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  if (!inside.includes("\n") && !/^[[{]\s*[\]}]$/.test(inside)) return { newline: "", unit: "" };
  return { newline, unit: /^([\t ]+)\S/m.exec(text)?.[1] ?? "  " };
}

function serialized(value: unknown, { newline, unit }: Style, indent: string): string {
  if (!newline) return JSON.stringify(value);
  return JSON.stringify(value, null, unit).replaceAll("\n", `${newline}${indent}`);
}

/** Into a container that has nothing but blanks and comments in it. */
function fill(text: string, container: Node, added: string, { newline }: Style): string {
  const inside = text.slice(container.from + 1, container.to - 1).trimEnd();
  const end = newline && `${newline}${lineIndent(text, container.from)}`;
  return `${text.slice(0, container.from + 1)}${inside}${added}${end}${text.slice(container.to - 1)}`;
}

interface Child {
  from: number;
  to: number;
}

function childrenOf(node: Node): (Child & (Node | { key: string; value: Node }))[] {
  if (node.kind === "object") return node.members;
  return node.kind === "array" ? node.items : [];
}

/** The last of those that have the same key: that is the one that counts. */
function indexOf(node: Node, step: string | number | undefined): number {
  if (typeof step === "number") return step;
  return node.kind === "object" ? node.members.findLastIndex(({ key }) => key === step) : -1;
}

/** Where the comma ends that follows, past blanks and comments. */
function commaAfter(text: string, from: number): number | undefined {
  const at = skipBlanks(text, from);
  return text[at] === "," ? at + 1 : undefined;
}

/** The end of what is said about a line's last thing: comments that stand behind it. */
function lineTail(text: string, from: number): number {
  const [tail = ""] = /^(?:[\t ]*\/\*(?:(?!\*\/)[^\n])*\*\/)*(?:[\t ]*\/\/[^\r\n]*)?/.exec(text.slice(from)) ?? [];
  return from + tail.length;
}

function blanksBefore(text: string, from: number): number {
  return text.slice(0, from).trimEnd().length;
}

function lineIndent(text: string, at: number): string {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  return /^[\t ]*/.exec(text.slice(start))?.[0] ?? "";
}

/** As its neighbour, if that begins a line. */
function indentAt(text: string, at: number, { unit }: Style): string {
  const indent = lineIndent(text, at);
  const start = text.lastIndexOf("\n", at - 1) + 1;
  return text.slice(start, at).trim() === "" ? indent : `${indent}${unit}`;
}
