import type { Columns } from "../columns.ts";

/** Where the feed was when a run was last claimed: what came later its program may not have seen. */
export const up = ({ position }: Columns): string[] => [`alter table runs add column claimed_id ${position}`];
