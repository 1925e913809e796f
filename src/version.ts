import { readFileSync } from "node:fs";

/** Beside the sources as beside the compiled program. */
const file = new URL("../package.json", import.meta.url);

// Our own file, and so with a version in it.
export const VERSION = (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
