/** What a team works on together, by the parts of its address. */
export const PARTS = { notes: "Notes", draft: "Draft", plan: "Plan", questions: "Questions" } as const;
export type Part = keyof typeof PARTS;

/** Undefined for an address that leads to none of them. */
export const partOf = (part: string | undefined): Part | undefined =>
  part === undefined ? "notes" : (Object.keys(PARTS) as Part[]).find((one) => one === part);

/** A section of the draft has an address of its own. */
export const hrefOf = (part: string, name?: string): string =>
  `/workspace/${part}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;
