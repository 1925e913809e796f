import { existsSync, readFileSync } from "node:fs";

/** What another program has written so far, line by line. One that it is still writing is not there yet. */
export const writtenLines = (path: string): string[] =>
  existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
