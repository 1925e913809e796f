/** As markdown quotes it: each line of it, also the empty ones, so that it stays one quotation. */
export const quoted = (text: string): string =>
  text
    .trim()
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
