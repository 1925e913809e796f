import { type ChildProcess, spawn } from "node:child_process";

/**
 * Ends the group when whoever started it is gone without a word, of which it learns by the end of its input. It carries
 * the cookie, and so ends with the rest.
 */
const GUARD = `while read -r _; do :; done
kill -s TERM -- "-$1"
for _ in 1 2 3 4 5 6 7 8 9 10; do kill -s 0 -- "-$1" || exit 0; sleep 0.3; done
kill -s KILL -- "-$1"`;

/** `mark` is what the processes of the group carry. */
export function guardOf(group: number, mark: Readonly<Record<string, string>>): ChildProcess {
  const sh = spawn("/bin/sh", ["-c", GUARD, "sh", String(group)], {
    ...{ cwd: "/", env: { PATH: "/usr/bin:/bin", ...mark }, detached: true },
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Where there is none, the group outlives whoever is killed beside it until the next one looks.
  sh.on("error", () => {});
  sh.stdin?.on("error", () => {});
  sh.unref();
  return sh;
}
