/** A small file in `hooks/` of the data folder by which the hooks and the waiter of one session tell each other something. */
import { readIfThere, replaceFile } from "../../local/files.ts";

export class SessionFile {
  protected readonly folder: string;
  protected readonly path: string;

  constructor(home: string, session_id: string, kind: string) {
    const { hash } = process.getBuiltinModule("node:crypto");
    this.folder = `${home}/hooks`;
    this.path = `${this.folder}/${hash("sha256", session_id, "hex")}${kind}`;
  }

  write(text: string): void {
    replaceFile(this.path, text);
  }

  read(): string | undefined {
    return readIfThere(this.path);
  }

  remove(): void {
    process.getBuiltinModule("node:fs").rmSync(this.path, { force: true });
  }
}
