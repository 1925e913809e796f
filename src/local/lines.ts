import { StringDecoder } from "node:string_decoder";

/** A line longer than this is no message of any client. */
const LONGEST = 1024 * 1024;

/** Takes bytes, gives whole lines. Of one that does not end nothing is kept. */
export class Lines {
  readonly #decoder = new StringDecoder("utf8");
  readonly #tell: (line: string) => void;
  readonly #longest: number;
  #rest = "";
  #too_long = false;

  constructor(tell: (line: string) => void, longest = LONGEST) {
    this.#tell = tell;
    this.#longest = longest;
  }

  write(chunk: Buffer): void {
    const pieces = this.#decoder.write(chunk).split("\n");
    for (const [at, piece] of pieces.entries()) {
      if (!this.#too_long) this.#rest += piece;
      if (this.#rest.length > this.#longest) {
        this.#rest = "";
        this.#too_long = true;
      }
      if (at < pieces.length - 1) this.#end();
    }
  }

  end(): void {
    this.write(Buffer.from("\n"));
  }

  #end(): void {
    if (!this.#too_long && this.#rest.trim() !== "") this.#tell(this.#rest);
    this.#rest = "";
    this.#too_long = false;
  }
}
