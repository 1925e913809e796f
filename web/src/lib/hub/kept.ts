/** What this browser remembers: drafts, mail that waits, the theme. Without storage it remembers nothing. */
const PREFIX = "parley:";

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    // Storage is switched off: everything works, nothing is kept.
    return null;
  }
}

/** The name of what is one person's alone: who signs in after them neither sees nor sends it. */
export const personal = (principal: string, name: string): string => `of:${encodeURIComponent(principal)}:${name}`;

/** The names of what is kept that begin so. */
export function keptNames(beginning: string): string[] {
  try {
    const keys = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at) ?? "");
    return keys.filter((key) => key.startsWith(PREFIX + beginning)).map((key) => key.slice(PREFIX.length));
  } catch {
    // Switched off: nothing is kept.
    return [];
  }
}

/** False where it could not be kept, for those who must know. */
export function keep(name: string, value: string | null): boolean {
  let kept = true;
  try {
    if (value === null || value === "") localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // Switched off or full: the page goes on without.
    kept = false;
  }
  // The browser tells the other tabs; this one has listeners too.
  dispatchEvent(new StorageEvent("storage", { key: PREFIX + name, newValue: value }));
  return kept;
}

/** Told when anybody keeps something, in this tab or in another. Returns the way to stop. */
export function onKept(listener: (name: string, value: string | null) => void): () => void {
  const hear = ({ key, newValue }: StorageEvent): void => {
    if (key?.startsWith(PREFIX)) listener(key.slice(PREFIX.length), newValue);
  };
  addEventListener("storage", hear);
  return () => removeEventListener("storage", hear);
}
