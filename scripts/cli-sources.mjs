import { readdirSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { root } from "./run.mjs";

export const sources = join(root, "src", "cli");
/** What the command line has in common with the hub and with the client library, and nothing else of them. */
export const shared = [join(root, "src", "local"), join(root, "src", "client", "node.ts")];
export const folder = join(root, "artifacts", "cli");
export const bundled = join(folder, "main.cjs");

/** The hub, one folder down from the root as its sources are. */
export const hubBundle = join(root, "artifacts", "hub.cjs");
export const hubStamps = join(root, "artifacts", "hub.json");

const OWN = join(root, "scripts", "bundle.mjs");

/** What the bundle of the command line is made of and by. */
export function cliSources() {
  const paths = [sources, ...shared].flatMap((each) => (each.endsWith(".ts") ? [each] : filesIn(each)));
  return stampsOf(paths.filter(isSource), folder);
}

/** The same of the hub's: with all that npm has installed. */
export function hubSources() {
  const apart = [sources, join(root, "src", "testing")];
  const paths = filesIn(join(root, "src")).filter((path) => !apart.some((each) => path.startsWith(each + sep)));
  return stampsOf([...paths.filter(isSource), join(root, "package-lock.json")], join(root, "artifacts"));
}

const isSource = (path) => path.endsWith(".ts") && !path.endsWith(".test.ts");

/**
 * Each with what no change of it leaves as it was. A change time, unlike the time of a file's content, can be set by nobody;
 * a file that took another's place has another number.
 */
const stampsOf = (paths, from) =>
  [...paths, OWN].sort().map((path) => {
    const { ino, size, ctimeMs } = statSync(path);
    return [`/${relative(from, path)}`, ino, size, ctimeMs];
  });

const filesIn = (path) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath ?? each.path, each.name));
