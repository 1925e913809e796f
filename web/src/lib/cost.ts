/** `$1.20`, and as much of what is less than a cent as says something. */
export const costWords = (usd: number): string => `$${usd > 0 && usd < 0.01 ? usd.toPrecision(1) : usd.toFixed(2)}`;
