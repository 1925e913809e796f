/** What went wrong, in words: the hub's own, which name the id its log has a failure by. */
export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
