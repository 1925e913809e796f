/** A quota is used up: it can be tried again from `until` on, in milliseconds since 1970; earlier where nobody said when. */
export class Throttled extends Error {
  override readonly name = "Throttled";
  readonly until: number;

  constructor(message: string, { until = 0, cause }: { until?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause });
    this.until = until;
  }
}
