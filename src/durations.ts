/** Lengths of time as people type them, everywhere: `55s`, `1m30s`, `24h`, `7d`, `2w`. */

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const PART = /(\d{1,9}(?:\.\d{1,3})?)(ms|[smhdw])/g;
const WHOLE = /^(?:\d{1,9}(?:\.\d{1,3})?(?:ms|[smhdw]))+$/;

/** In milliseconds; undefined where it is no length of time. */
export function durationOf(text: string): number | undefined {
  if (!WHOLE.test(text)) return undefined;
  return [...text.matchAll(PART)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNITS_MS[unit ?? ""] ?? 0),
    0,
  );
}

/** In its largest unit: `45s`, `12m`, `2h`, `3d`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
