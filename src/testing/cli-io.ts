import type { Env, Fd, Io } from "../cli/core/io.ts";
import { STDOUT } from "../cli/core/io.ts";

/** Stands for a process around a command line that runs in this one, with pipes and no terminal. */
export class CliIo implements Io {
  readonly env: Env;
  readonly stdin: Io["stdin"];
  readonly columns = undefined;
  exitCode = 0;
  stdout = "";
  stderr = "";

  constructor(env: Env, input = "") {
    this.env = env;
    this.stdin = ReadableStream.from([Buffer.from(input)]);
  }

  isTerminal(): boolean {
    return false;
  }

  async write(fd: Fd, text: string): Promise<void> {
    if (fd === STDOUT) this.stdout += text;
    else this.stderr += text;
  }
}
