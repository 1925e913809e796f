import type { Columns } from "../columns.ts";

/** By which way a person came who decided about a call, and what the call's server says of its tool. */
export const up = ({ key, json }: Columns): string[] => [
  `alter table approvals add column decided_via ${key}`,
  `alter table approvals add column hints ${json}`,
];
