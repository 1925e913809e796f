import { join } from "node:path";
import { replaceFile } from "../../local/files.ts";
import { readJson } from "../core/io.ts";

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
    const { epoch, after_id } = Object(readJson(this.#path));
    const isKnown = epoch === this.#epoch && typeof after_id === "string" && /^\d{1,16}$/.test(after_id);
    return isKnown ? after_id : undefined;
  }

  write(after_id: string): void {
    replaceFile(this.#path, JSON.stringify({ epoch: this.#epoch, after_id }));
  }
}
