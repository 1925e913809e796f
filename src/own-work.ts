/** Milliseconds that this thread has worked so far. Not by the clock: for a disk, and for other programs, it only waits. */
export function ownWork(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
