/** What has failed so often is given up: after some twenty minutes. */
export const MOST_ATTEMPTS = 8;
const FIRST_MS = 10_000;
const LONGEST_MS = 3600 * 1000;

/** Milliseconds until the next attempt after so many; up to a quarter more or less, so that many do not all come at once. */
export const backoff = (attempts: number, random: number): number =>
  Math.round(Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempts - 1)) * (0.75 + random / 2));
