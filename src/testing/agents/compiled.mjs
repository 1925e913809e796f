/**
 * What is loaded after this is kept as it was compiled, for the next one that starts: to take the types out of one file
 * takes twice as long as all else of a small program's start. They get no environment of ours that could say so.
 */
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

enableCompileCache(fileURLToPath(new URL("../../../node_modules/.cache/parley-sources", import.meta.url)));
