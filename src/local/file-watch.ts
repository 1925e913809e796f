import { statSync } from "node:fs";

/** So often it is looked whether a file is another. */
export const LOOK_MS = 1000;

/**
 * Tells when one of these files is another than it was at this call, also one that comes or goes. Whoever reads them
 * after that misses nothing. Not `fs.watchFile`, which compares with what it finds some time later: a file that is written
 * in between would never be told of. Returns the way to stop.
 */
export function watchFiles(paths: readonly string[], changed: () => void): () => void {
  let known = paths.map(stateOf).join();
  const look = (): void => {
    const now = paths.map(stateOf).join();
    if (now === known) return;
    known = now;
    changed();
  };
  const timer = setInterval(look, LOOK_MS).unref();
  return () => clearInterval(timer);
}

function stateOf(path: string): string {
  const state = statSync(path, { throwIfNoEntry: false });
  // The rights count too: a file that others can write is not believed.
  return state ? `${state.dev} ${state.ino} ${state.size} ${state.mtimeMs} ${state.ctimeMs}` : "none";
}
