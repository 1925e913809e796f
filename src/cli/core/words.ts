/** `1 message`, `2 messages`. */
export const counted = (count: number, word: string): string => `${count} ${plural(count, word)}`;

export const plural = (count: number, word: string): string => (count === 1 ? word : `${word}s`);
