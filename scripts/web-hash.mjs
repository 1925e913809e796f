import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run.mjs";

const SOURCES = ["web/src", "web/static", "src/client"];
export const FILES = [
  "src/visible.ts",
  "src/cost.ts",
  "src/readable-json.ts",
  "web/package.json",
  "web/vite.config.ts",
  "web/tsconfig.json",
  "package-lock.json",
];

/** Changes when anything does that the built web app is made of. */
export function webHash() {
  const hash = createHash("sha256");
  const found = SOURCES.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length)),
  );
  for (const path of [...found, ...FILES].sort())
    hash
      .update(`${path.replaceAll("\\", "/")}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0");
  return hash.digest("hex");
}
