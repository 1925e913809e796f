import { readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./run.mjs";

export const sources = join(root, "src", "cli");
/** What the command line has in common with the hub and with the client library, and nothing else of them. */
export const shared = [join(root, "src", "local"), join(root, "src", "client", "node.ts")];
export const folder = join(root, "artifacts", "cli");
export const bundled = join(folder, "main.cjs");

/**
 * What the bundle of the command line is made of and by, each with what no change of it leaves as it was. A change
 * time, unlike the time of a file's content, can be set by nobody; a file that took another's place has another number.
 */
export function cliSources() {
  return [sources, ...shared]
    .flatMap((each) => (each.endsWith(".ts") ? [each] : filesIn(each)))
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .concat(join(root, "scripts", "bundle.mjs"))
    .sort()
    .map((path) => {
      const { ino, size, ctimeMs } = statSync(path);
      return [`/${relative(folder, path)}`, ino, size, ctimeMs];
    });
}

const filesIn = (path) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath ?? each.path, each.name));
