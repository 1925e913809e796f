/** Where the program lies. Its sources, what is bundled of them and a package all have this file two folders down. */
import { fileURLToPath } from "node:url";

const inRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export const LAUNCHER = inRoot("bin/parley");
export const PACKAGE = inRoot("package.json");
