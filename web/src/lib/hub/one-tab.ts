/** Runs it, unless another tab is at something of that name just now. */
export async function inOneTab<T>(name: string, run: () => T | Promise<T>): Promise<T | "busy"> {
  // Missing in a page that came without TLS from elsewhere than this machine.
  if (!("locks" in navigator)) return run();
  return navigator.locks.request(`parley:${name}`, { ifAvailable: true }, (lock) => (lock ? run() : "busy"));
}
