/** Where the program lies. Its sources, the bundle made of them and a package all have this file two folders down. */
const { fileURLToPath } = process.getBuiltinModule("node:url");

const inRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export const LAUNCHER = inRoot("bin/parley");
export const PACKAGE = inRoot("package.json");
export const HUB_BUNDLE = inRoot("artifacts/hub.cjs");
export const HUB_STAMPS = inRoot("artifacts/hub.json");
