/** Runs it, unless another tab is at something of that name that excludes it. Any number share it with each other. */
export async function withTabLock<T>(name: string, mode: LockMode, run: () => T | Promise<T>): Promise<T | "busy"> {
  // Missing in a page that came without TLS from elsewhere than this machine.
  if (!("locks" in navigator)) return run();
  return navigator.locks.request(`parley:${name}`, { mode, ifAvailable: true }, (lock) => (lock ? run() : "busy"));
}
