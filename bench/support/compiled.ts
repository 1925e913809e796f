let folder: string | undefined;

/** Programs keep there what they have compiled, for the next ones. Where figures count, each begins with nothing. */
export function keepCompiled(path: string): void {
  folder = path;
}

/** What tells a program so. */
export const compiled = (): Record<string, string> => (folder === undefined ? {} : { NODE_COMPILE_CACHE: folder });
