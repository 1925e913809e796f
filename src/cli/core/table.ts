/** Columns for a terminal, as wide as what is in them and no wider than the terminal. */

const GAP = "  ";
/** Narrower than this a column says nothing. */
const LEAST = 8;

/** The first column names the row and is never cut; of the others the widest gives way first, then the last goes. */
export function table(rows: readonly (readonly string[])[], width = Number.POSITIVE_INFINITY): string {
  const natural: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.entries()) natural[at] = Math.max(natural[at] ?? 0, columnsOf(cell));
  let widths = narrowed(natural, width);
  while (widths.length > 2 && totalOf(widths) > width) widths = narrowed(natural.slice(0, widths.length - 1), width);
  return rows
    .map((row) =>
      row
        .slice(0, widths.length)
        .map((cell, at) => padded(cell, widths[at] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .join("\n");
}

const totalOf = (widths: readonly number[]): number =>
  widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1);

function narrowed(natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  for (let over = totalOf(widths) - width; over > 0; over = totalOf(widths) - width) {
    const widest = Math.max(...widths.slice(1));
    if (widest <= LEAST) break;
    const at = widths.indexOf(widest, 1);
    const second = Math.max(LEAST, ...widths.filter((each, index) => index > 0 && each < widest));
    widths[at] = Math.max(second - 1, widest - over, LEAST);
  }
  return widths;
}

function padded(cell: string, width: number): string {
  const cut = fitted(cell, width);
  return cut + " ".repeat(width - columnsOf(cut));
}

/** As much of it as there is room for, with a mark where it was cut. */
export function fitted(text: string, width = Number.POSITIVE_INFINITY): string {
  if (columnsOf(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of SEGMENTS.segment(text)) {
    used += columnsOf(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

const SEGMENTS = new Intl.Segmenter();
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;
const PLAIN = /^[\x20-\x7e]*$/;

/** How many columns of a terminal it takes: what East Asian scripts and emoji are drawn with is two wide. */
function columnsOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of SEGMENTS.segment(text)) columns += WIDE.test(segment) ? 2 : 1;
  return columns;
}
