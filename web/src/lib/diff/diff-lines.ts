/** A stretch of a line, and whether it is what makes it another line than before. */
export interface DiffPiece {
  text: string;
  changed: boolean;
}

export interface DiffLine {
  kind: "added" | "removed" | "same" | "place";
  pieces: readonly DiffPiece[];
}

interface Read {
  kind: DiffLine["kind"];
  text: string;
}

const KINDS: Readonly<Record<string, DiffLine["kind"]>> = { "+": "added", "-": "removed", " ": "same", "@": "place" };

/** The lines of a unified difference, without its head. A line that replaces one says which words of it are other ones. */
export function linesOf(diff: string): DiffLine[] {
  const lines = read(diff);
  return lines.map((line, at): DiffLine => {
    const other = counterpart(lines, at);
    const pieces = other ? piecesOf(line.text, other.text) : [{ text: line.text, changed: false }];
    return { kind: line.kind, pieces };
  });
}

function read(diff: string): Read[] {
  const lines = diff.split("\n");
  const first = lines.findIndex((line) => line.startsWith("@@"));
  if (first < 0) return [];
  return lines.slice(first).flatMap((line) => {
    const kind = KINDS[line.slice(0, 1)];
    // What is left is the end of the text, and the remark that a file ends without a line's end.
    if (kind === undefined) return [];
    return [{ kind, text: kind === "place" ? placeWords(line) : line.slice(1) }];
  });
}

/** Where the new text goes on. */
function placeWords(line: string): string {
  const from = /\+(\d+)/.exec(line)?.[1];
  return from === undefined || from === "0" ? "" : `line ${from}`;
}

/** Where as many lines were added as removed, each took the place of one. */
function counterpart(lines: readonly Read[], at: number): Read | undefined {
  const kind = lines[at]?.kind;
  if (kind !== "added" && kind !== "removed") return undefined;
  const isChange = (line: Read | undefined): boolean => line?.kind === "added" || line?.kind === "removed";
  let [from, to] = [at, at];
  while (isChange(lines[from - 1])) from -= 1;
  while (isChange(lines[to + 1])) to += 1;
  const half = (to - from + 1) / 2;
  const all = lines.slice(from, to + 1);
  const even = all.every((line, index) => line.kind === (index < half ? "removed" : "added"));
  return even ? lines[kind === "removed" ? at + half : at - half] : undefined;
}

/** What both have at their ends is the same; what is between is not. Cut at spaces, so that words stay whole. */
function piecesOf(text: string, other: string): DiffPiece[] {
  const [words, others] = [wordsOf(text), wordsOf(other)];
  const most = Math.min(words.length, others.length);
  let head = 0;
  while (head < most && words[head] === others[head]) head += 1;
  let tail = 0;
  while (tail < most - head && words.at(-1 - tail) === others.at(-1 - tail)) tail += 1;
  const changed = words.slice(head, words.length - tail).join("");
  return [
    { text: words.slice(0, head).join(""), changed: false },
    // Lines that have nothing in common are told apart by their colour already.
    { text: changed, changed: head + tail > 0 },
    { text: words.slice(words.length - tail).join(""), changed: false },
  ].filter((piece) => piece.text !== "");
}

const wordsOf = (text: string): string[] => text.match(/\s+|\S+/g) ?? [];
