/** A command line that works as it stands on the hub's machine. What leads there the hub has written into the page, if this is that machine. */
export function typed(command: string): string {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="parley-typed"]');
  return [meta?.content || "parley", command, meta?.dataset.place].filter(Boolean).join(" ");
}
