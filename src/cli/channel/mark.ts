/** How far an agent's chat was pushed, kept in a file: a session that begins anew is not told what another one was. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMissing } from "../core/home.ts";

export interface MarkKey {
  home: string;
  space: string;
  agent: string;
  /** Of the hub's data. Marks of other data mean nothing here. */
  epoch: string;
}

export class ChannelMark {
  readonly #path: string;
  readonly #epoch: string;

  constructor({ home, space, agent, epoch }: MarkKey) {
    // Both are letters, digits, dots, dashes and underscores.
    this.#path = join(home, "channel", `${space}.${agent}.json`);
    this.#epoch = epoch;
  }

  /** The last message that was pushed; undefined where nobody knows. */
  read(): string | undefined {
    try {
      const { epoch, after_id } = Object(JSON.parse(readFileSync(this.#path, "utf8")));
      return epoch === this.#epoch && typeof after_id === "string" && /^\d{1,16}$/.test(after_id)
        ? after_id
        : undefined;
    } catch (error) {
      // Half a file is what a crash of the machine leaves behind: as good as none.
      if (isMissing(error) || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  write(after_id: string): void {
    mkdirSync(join(this.#path, ".."), { recursive: true, mode: 0o700 });
    const temporary = `${this.#path}.${process.pid}`;
    writeFileSync(temporary, JSON.stringify({ epoch: this.#epoch, after_id }), { mode: 0o600 });
    renameSync(temporary, this.#path);
  }
}
