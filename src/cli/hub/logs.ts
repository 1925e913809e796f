import { closeSync, openSync, readSync, statSync } from "node:fs";
import { ifThere } from "../../local/files.ts";
import { visible } from "../../visible.ts";
import { defineCommand, flag, howMany } from "../core/command.ts";
import { Failure, invalid } from "../core/failure.ts";
import { pause } from "../core/patience.ts";

/** More than any sensible number of lines takes. */
const MOST_BYTES = 4 * 1024 * 1024;
const LOOK_MS = 500;

export const logs = defineCommand({
  people: true,
  examples: ["logs", "logs -n 200", "logs --follow"],
  details:
    "What the hub that a command started has to say. One that you run with parley serve says it in its own terminal.",
  format: "text",
  options: {
    lines: howMany(50, 10_000, "how many"),
    follow: flag("go on as more is written", { short: "f" }),
  },
  async run(cli, { lines, follow }) {
    if (cli.url) throw invalid("Only the log of a data folder can be read from here: use --home.");
    const file = cli.home.log;
    let at = sizeOf(file);
    if (at === undefined && !follow)
      throw new Failure(
        "NOT_FOUND",
        cli.home.hub()
          ? `The hub of ${cli.home.path} was started with parley serve, and says what it has to say in that terminal.`
          : `No command has started a hub on ${cli.home.path} yet, so it has no log.`,
      );
    const text = read(file, Math.max(0, (at ?? 0) - MOST_BYTES), at ?? 0);
    await cli.out.write(visible(text.trimEnd().split("\n").slice(-lines).join("\n")));
    while (follow) {
      await pause(LOOK_MS);
      const size = sizeOf(file) ?? 0;
      // Shorter: a new one has begun.
      const more = read(file, size < (at ?? 0) ? 0 : (at ?? 0), size);
      at = size;
      await cli.out.write(visible(more.trimEnd()));
    }
  },
});

const sizeOf = (file: string): number | undefined => ifThere(() => statSync(file).size);

function read(file: string, from: number, to: number): string {
  if (to <= from) return "";
  const part = Buffer.alloc(to - from);
  const fd = openSync(file, "r");
  try {
    return part.toString("utf8", 0, readSync(fd, part, 0, part.length, from));
  } finally {
    closeSync(fd);
  }
}
