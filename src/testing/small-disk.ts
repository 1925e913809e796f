/** A disk that is soon full: a small tmpfs in a mount namespace of its own, gone with the process that holds it. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";

type Holder = ChildProcessByStdio<Writable, Readable, Readable>;

/** As root, or else as a user whom the kernel lets be root in a world of his own. */
const WAYS = [
  { unshare: ["unshare", "--mount"], nsenter: ["--mount"], drop: [] },
  {
    unshare: ["unshare", "--user", "--map-root-user", "--mount"],
    nsenter: ["--user", "--preserve-credentials", "--mount"],
    drop: ["unshare", "--user", "--map-user=1000", "--map-group=1000"],
  },
];

export class SmallDisk implements AsyncDisposable {
  readonly #holder: Holder;
  /** Where it is for whom runs inside. */
  readonly folder: string;
  /** Put before a command to run it inside, as nobody special. */
  readonly inside: readonly string[];

  static async mount(megabytes: number): Promise<SmallDisk> {
    const folder = mkdtempSync(join(tmpdir(), "parley-disk-"));
    const refusals: string[] = [];
    for (const { unshare, nsenter, drop } of WAYS) {
      const script = `mount -t tmpfs -o size=${megabytes}m,mode=0777 parley "$1" && echo ready && exec cat`;
      const [command = "", ...args] = [...unshare, "sh", "-c", script, "disk", folder];
      const holder = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
      const answer = await answerOf(holder);
      if (answer === "ready")
        return new SmallDisk(holder, folder, [
          "nsenter",
          `--target=${holder.pid}`,
          ...nsenter,
          "--wdns=/",
          "--",
          ...drop,
        ]);
      refusals.push(`${unshare.join(" ")}: ${answer}`);
    }
    rmSync(folder, { recursive: true });
    throw new Error(
      `This test needs a small disk of its own: root, or a kernel that allows user namespaces, and unshare, nsenter and mount of util-linux. ${refusals.join("; ")}`,
    );
  }

  private constructor(holder: Holder, folder: string, inside: readonly string[]) {
    this.#holder = holder;
    this.folder = folder;
    this.inside = inside;
  }

  /** The same place for those outside. */
  outside(...names: string[]): string {
    return join(`/proc/${this.#holder.pid}/root`, this.folder, ...names);
  }

  /** Takes all the space but so many bytes. */
  fill(left = 0): void {
    const { bavail, bsize } = statfsSync(this.outside());
    writeFileSync(this.outside("ballast"), Buffer.alloc(bavail * bsize - left));
  }

  /** Gives it back. */
  free(): void {
    rmSync(this.outside("ballast"), { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#holder.stdin.end();
    if (this.#holder.exitCode === null) await once(this.#holder, "exit");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Its first word, or why there is none. */
function answerOf(holder: Holder): Promise<string> {
  return new Promise((resolve) => {
    for (const stream of [holder.stdout, holder.stderr])
      stream.setEncoding("utf8").once("data", (text: string) => resolve(text.trim()));
    holder.once("error", (error) => resolve(error.message));
    holder.once("exit", (code) => resolve(`exit code ${code}`));
  });
}
