/** The name that was probably meant, or undefined if none is near. */
export function nearest(given: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.min(2, Math.floor(given.length / 2)) + 1;
  for (const name of names) {
    const away = distance(given.toLowerCase(), name.toLowerCase());
    if (away < least) [best, least] = [name, away];
  }
  return best;
}

/** How many letters to add, drop, change or swap with their neighbour. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const costs = [at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + change];
      if (swapped && i > 1 && j > 1) costs.push(at(before, j - 2) + 1);
      row.push(Math.min(...costs));
    }
    [before, last] = [last, row];
  }
  return at(last, b.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY;

export const didYouMean = (given: string, names: Iterable<string>): string => {
  const name = nearest(given, names);
  return name ? ` Did you mean ${name}?` : "";
};
