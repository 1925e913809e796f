/**
 * Changes JSON as text: what is not concerned keeps its bytes, order and indentation included. Each function takes a
 * text and gives one; nothing here writes a file.
 */
import { type Node, parseJsonText } from "./json-text.ts";

export type Path = readonly (string | number)[];

/** Adds to the end of the array there, or a member to the end of the object. */
export function append(text: string, path: Path, value: unknown, key?: string): string {
  const container = find(text, path);
  const style = styleOf(text);
  const last = childrenOf(container).at(-1);
  const indent = last ? indentAt(text, last.from, style) : `${lineIndent(text, container.from)}${style.unit}`;
  const label = key === undefined ? "" : `${JSON.stringify(key)}:${style.newline ? " " : ""}`;
  const added = `${style.newline}${style.newline && indent}${label}${serialized(value, style, indent)}`;
  if (last) return `${text.slice(0, last.to)},${added}${text.slice(last.to)}`;
  const end = style.newline && `${style.newline}${lineIndent(text, container.from)}`;
  return `${text.slice(0, container.from + 1)}${added}${end}${text.slice(container.to - 1)}`;
}

/** Takes away the item or the member there, and the comma that belonged to it. */
export function remove(text: string, path: Path): string {
  const container = find(text, path.slice(0, -1));
  const children = childrenOf(container);
  const at = indexOf(container, path.at(-1));
  const child = children[at];
  if (!child) throw new Error(`nothing at ${path.join(".")}`);
  const [before, after] = [children[at - 1], children[at + 1]];
  // The first one leaves the blanks before it to the next, the others go with the comma before them.
  if (before) return text.slice(0, before.to) + text.slice(child.to);
  if (after) return text.slice(0, child.from) + text.slice(after.from);
  return text.slice(0, container.from + 1) + text.slice(container.to - 1);
}

/** Whether there is nothing in it. */
export const isBlank = (text: string, path: Path): boolean => childrenOf(find(text, path)).length === 0;

function find(text: string, path: Path): Node {
  let node = parseJsonText(text);
  for (const step of path) {
    const child = node && childrenOf(node)[indexOf(node, step)];
    node = child && "key" in child ? child.value : child;
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

type Child = Node | Extract<Node, { kind: "object" }>["members"][number];

function childrenOf(node: Node): readonly Child[] {
  if (node.kind === "object") return node.members;
  return node.kind === "array" ? node.items : [];
}

/** The last of those that have the same key: that is the one that counts. */
function indexOf(node: Node, step: string | number | undefined): number {
  if (typeof step === "number") return step;
  return node.kind === "object" ? node.members.findLastIndex(({ key }) => key === step) : -1;
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
