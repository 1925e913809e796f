import type { Columns } from "../columns.ts";

/** Events that differ in little are one row, with what each has of its own in here. */
export const up = ({ json }: Columns): string[] => [`alter table events add column together ${json}`];
