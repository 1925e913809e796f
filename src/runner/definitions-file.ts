import { join } from "node:path";
import { watchFiles } from "../local/file-watch.ts";
import type { Log } from "../log.ts";
import { Definitions, RUNNER_FILE } from "./definitions.ts";

/** What `runner.json` of a data folder says now. One that is not believed, or cannot be read, defines nothing; the log says why, once. */
export class DefinitionsFile {
  readonly #home: string;
  readonly #log: Log;
  #current = new Definitions({});
  #error: string | undefined;

  constructor(home: string, log: Log) {
    this.#home = home;
    this.#log = log;
  }

  /** As it was last read. */
  get current(): Definitions {
    return this.#current;
  }

  read(): Definitions {
    try {
      this.#current = Definitions.read(this.#home);
      this.#error = undefined;
    } catch (error) {
      this.#current = new Definitions({});
      const message = error instanceof Error ? error.message : String(error);
      if (message !== this.#error) this.#log.error("nothing can be started", { why: message });
      this.#error = message;
    }
    return this.#current;
  }

  /** Tells when it may say something else. Returns the way to stop. */
  watch(changed: () => void): () => void {
    return watchFiles([join(this.#home, RUNNER_FILE)], changed);
  }
}
