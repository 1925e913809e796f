const MOST = 100;

/** What a section is called by, from its title: `Market analysis` is market_analysis. Empty where nothing is left of it. */
export function idOf(title: string): string {
  const words = title
    .toLowerCase()
    // Small letters of some scripts are written as two.
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "_")
    .replaceAll(/^[_\p{M}]+|_+$/gu, "");
  const cut = words.slice(0, MOST);
  return (cut.isWellFormed() ? cut : cut.slice(0, -1)).normalize("NFC");
}
