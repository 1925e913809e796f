const MOST = 120;

/** The first words of a message without its markup, for a list. */
export const firstLine = (content: string): string =>
  content
    .slice(0, 4 * MOST)
    .replaceAll(/^\s*(?:[#>*+-]+|```\S*|\d+\.)\s*/gm, "")
    .replaceAll(/[*`~]{1,3}/g, "")
    // Within a word it is a letter as any other.
    .replaceAll(/(?<![\p{L}\p{N}_])_{1,3}|_{1,3}(?![\p{L}\p{N}_])/gu, "")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .trim()
    .split("\n", 1)[0]
    ?.slice(0, MOST) ?? "";
