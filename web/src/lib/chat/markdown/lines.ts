/** What markdown asks about single lines. */

export const isEmpty = (line: string): boolean => line.trim() === "";

/** In columns. */
export function indentOf(line: string): number {
  let columns = 0;
  for (const char of line)
    if (char === " ") columns += 1;
    else if (char === "\t") columns += 4 - (columns % 4);
    else break;
  return columns;
}

/** Without so much of the space at its beginning. */
export function outdented(line: string, columns: number): string {
  let at = 0;
  let done = 0;
  while (done < columns && (line[at] === " " || line[at] === "\t")) {
    done += line[at] === " " ? 1 : 4 - (done % 4);
    at += 1;
  }
  return " ".repeat(Math.max(0, done - columns)) + line.slice(at);
}

/** Of a row of a table. */
export function cellsOf(line: string): string[] {
  const cells: string[] = [];
  let cell = "";
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? "";
    if (char === "\\" && line[at + 1] === "|") {
      cell += "|";
      at += 1;
    } else if (char === "|") {
      cells.push(cell.trim());
      cell = "";
    } else cell += char;
  }
  cells.push(cell.trim());
  if (cells[0] === "") cells.shift();
  if (cells.at(-1) === "") cells.pop();
  return cells;
}
