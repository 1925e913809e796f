import { join } from "node:path";
import { readIfThere, replaceFile } from "../../local/files.ts";

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
      const { epoch, after_id } = Object(JSON.parse(readIfThere(this.#path) ?? "{}"));
      return epoch === this.#epoch && typeof after_id === "string" && /^\d{1,16}$/.test(after_id)
        ? after_id
        : undefined;
    } catch (error) {
      // Half a file is what a crash of the machine leaves behind: as good as none.
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  write(after_id: string): void {
    replaceFile(this.#path, JSON.stringify({ epoch: this.#epoch, after_id }));
  }
}
