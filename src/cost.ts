/** No amount is kept more exactly than in millionths. */
const DIGITS = 6;

/** `$1.20`, and of what is less than a cent the two digits that tell it apart: never nothing where there is something. */
export function costWords(usd: number): string {
  if (usd <= 0 || usd >= 0.01) return `$${usd.toFixed(2)}`;
  const least = Math.max(usd, 10 ** -DIGITS);
  const words = Number(least.toPrecision(2)).toFixed(DIGITS).replace(/0+$/, "");
  return `$${words.padEnd("0.00".length, "0")}`;
}
