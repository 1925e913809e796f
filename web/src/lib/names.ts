let collator: Intl.Collator | undefined;

/** Names as people count: job-2 before job-10. Made when it is first needed, which takes milliseconds. */
export function byName(one: string, other: string): number {
  collator ??= new Intl.Collator(undefined, { numeric: true });
  return collator.compare(one, other);
}
