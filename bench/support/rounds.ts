import type { Bound, Figure } from "./scenario.ts";

export interface Pair {
  ours: number;
  reference: number;
}

type Measure = () => Promise<number> | number;

/**
 * Measures both sides again and again, next to each other in time and each as often first as second: whatever else
 * the machine is doing then weighs on both. The first round only warms up; with none to follow it has to do.
 */
export async function interleaved(rounds: number, ours: Measure, reference: Measure): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const first = round % 2 === 0 ? await ours() : undefined;
    const second = await reference();
    pairs.push({ ours: first ?? (await ours()), reference: second });
  }
  return rounds === 0 ? pairs : pairs.slice(1);
}

export function figure(
  name: string,
  pairs: readonly Pair[],
  { unit, bound }: { unit: string; bound: Bound | null },
): Figure {
  const ratios = pairs.map(({ ours, reference }) => ours / reference);
  const differences = pairs.map(({ ours, reference }) => ours - reference);
  const amounts = pairs.map(({ ours }) => ours);
  const spread = { ratio: ratios, difference: differences, ours: amounts }[bound?.on ?? "ratio"];
  return {
    figure: name,
    unit,
    ours: median(amounts),
    reference: median(pairs.map(({ reference }) => reference)),
    ratio: median(ratios),
    difference: median(differences),
    low: quantile(spread, 0.25),
    high: quantile(spread, 0.75),
    rounds: pairs.length,
    bound,
  };
}

const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

/** The number below which that part of them lies, in between two of them where it has to be. */
export function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}
