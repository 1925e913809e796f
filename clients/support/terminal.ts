/** A program in a terminal of its own, which a check types into and reads as a person would. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { until } from "../../src/testing/process.ts";

const run = promisify(execFile);
const LIMIT_MS = 60_000;

export class Terminal implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "parley-tmux-"));
  readonly #socket = join(this.#folder, "socket");

  static async open(
    command: readonly string[],
    where: { cwd: string; env: Record<string, string> },
  ): Promise<Terminal> {
    const terminal = new Terminal();
    // The environment of whoever runs the checks ends here: neither tmux nor the client has any of it.
    const env = Object.entries({ ...where.env, TERM: "xterm-256color" }).map(([name, value]) => `${name}=${value}`);
    const words = ["env", "-i", ...env, ...command];
    await terminal.#tmux("new-session", "-d", "-x", "180", "-y", "50", "-c", where.cwd, "--", ...words);
    return terminal;
  }

  private constructor() {}

  async #tmux(...args: readonly string[]): Promise<string> {
    const env = { PATH: process.env.PATH ?? "", TERM: "xterm-256color", LANG: "C.UTF-8" };
    const { stdout } = await run("tmux", ["-S", this.#socket, "-f", "/dev/null", "-u", ...args], { env });
    return stdout;
  }

  /** What is seen. Empty once the program has ended. */
  async screen(): Promise<string> {
    return (await this.isOpen()) ? this.#tmux("capture-pane", "-p").catch(() => "") : "";
  }

  /** Waits until that is seen. */
  async shows(wanted: string | RegExp, limit_ms = LIMIT_MS): Promise<string> {
    const matches = (text: string) => (typeof wanted === "string" ? text.includes(wanted) : text.search(wanted) >= 0);
    let last = "";
    try {
      await until(async () => {
        last = await this.screen();
        return matches(last);
      }, limit_ms);
      return last;
    } catch (error) {
      throw new Error(`The terminal does not show ${wanted}, but:\n${last}`, { cause: error });
    }
  }

  /** Types it, without Enter. */
  async type(text: string): Promise<void> {
    await this.#tmux("send-keys", "-l", "--", text);
  }

  /** Keys by tmux's names: `Enter`, `Escape`, `C-c`. */
  async press(...keys: readonly string[]): Promise<void> {
    await this.#tmux("send-keys", ...keys);
  }

  /** Until that is seen: a dialog that is only just drawn may not listen yet. */
  async pressUntil(key: string, wanted: string | RegExp): Promise<void> {
    await until(async () => {
      await this.press(key);
      return this.shows(wanted, 1_000).then(
        () => true,
        () => false,
      );
    }, LIMIT_MS);
  }

  /** Types a line and sends it, once the program has taken it up. */
  async say(text: string): Promise<void> {
    await this.type(text);
    await this.shows(text);
    await this.press("Enter");
  }

  async isOpen(): Promise<boolean> {
    if (!existsSync(this.#socket)) return false;
    return run("tmux", ["-S", this.#socket, "has-session"]).then(
      () => true,
      () => false,
    );
  }

  async closed(): Promise<void> {
    await until(async () => !(await this.isOpen()), LIMIT_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // It may have ended by itself, and its server with it.
    if (await this.isOpen()) await this.#tmux("kill-server").catch(() => {});
    await this.closed();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
