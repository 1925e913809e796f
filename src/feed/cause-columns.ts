import type { Cause, CauseHow } from "./event.ts";

/** How a row says what led to what it tells of. */
export type CauseColumns = { cause: number | null; cause_how: CauseHow | null };

const UNKNOWN: CauseColumns = { cause: null, cause_how: null };

export const toColumns = (cause: Cause | undefined): CauseColumns =>
  cause ? { cause: cause.id, cause_how: cause.how } : UNKNOWN;

export const fromColumns = ({ cause, cause_how }: CauseColumns): Cause | undefined =>
  cause === null || cause_how === null ? undefined : { id: cause, how: cause_how };
