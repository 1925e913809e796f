import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where programs that tests start from the sources keep what they have compiled, for the next ones. */
export const COMPILED = {
  NODE_COMPILE_CACHE: join(
    fileURLToPath(new URL("../..", import.meta.url)),
    "node_modules",
    ".cache",
    "parley-sources",
  ),
};
