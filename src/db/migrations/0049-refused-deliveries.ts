import type { Columns } from "../columns.ts";

/** When a webhook last refused what was posted to it, and why. */
export const up = ({ time, text }: Columns): string[] => [
  `alter table triggers add column refused_at ${time}`,
  `alter table triggers add column refused_for ${text}`,
];
