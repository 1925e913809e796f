let collator: Intl.Collator | undefined;

/** Names as people count: job-2 before job-10. Made when it is first needed, which takes milliseconds. */
export function byName(one: string, other: string): number {
  collator ??= new Intl.Collator(undefined, { numeric: true });
  return collator.compare(one, other);
}

/** As long as a name may be. */
const MOST_CHARACTERS = 40;

/** Another one like it that nobody has: `scout-2`, `scout-3`. */
export function freeName(name: string, taken: readonly string[]): string {
  const stem = name.replace(/-\d+$/, "");
  for (let count = 2; ; count += 1) {
    const free = `${stem.slice(0, MOST_CHARACTERS - `-${count}`.length)}-${count}`;
    if (!taken.includes(free)) return free;
  }
}
