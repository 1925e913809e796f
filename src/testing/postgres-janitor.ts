import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Ends a server and removes its folder when this process is gone, however it went. */
export interface Janitor {
  /** The server to end; undefined while there is none. */
  watch(pid: number | undefined): void;
  dismiss(): void;
}

/**
 * The last line it reads is the server's pid. Its input ends with this process, even by kill -9. Removing fails while
 * the server still adds files, hence the rounds.
 */
const SCRIPT = `
pid=
while read -r line; do pid=$line; done
[ -z "$pid" ] || kill -QUIT "$pid"
for round in 1 2 3 4 5 6 7 8 9 10; do
  rm -rf "$1" && break
  sleep 0.5
done
`;

export function startJanitor(folder: string): Janitor {
  const janitor = spawn("sh", ["-c", SCRIPT, "janitor", folder], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // It waits for us, not we for it.
  janitor.unref();
  if ("unref" in janitor.stdin && typeof janitor.stdin.unref === "function") janitor.stdin.unref();
  return {
    watch: (pid) => void janitor.stdin.write(`${pid ?? ""}\n`),
    dismiss: () => void janitor.stdin.end(),
  };
}

/** Where the system does not tell, none. */
export function childrenOf(parent: number): number[] {
  if (!existsSync("/proc/self/stat")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map(Number);
}

function parentOf(pid: string): number | undefined {
  try {
    // pid (name) state ppid ...; the name may hold anything, so count from its end.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined; // it ended while we were reading
  }
}
