import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { batches } from "../core/batches.ts";
import { defineCommand, text } from "../core/command.ts";
import { duration } from "../core/duration.ts";
import type { Input } from "../core/tool-types.ts";
import { checkArchive, rowLinesOf } from "./archive-file.ts";

/** As much as goes in one call, unless a single row is longer. */
const MOST = { items: 200, size: 512 * 1024 };

export const spaceOpen = defineCommand({
  people: true,
  examples: ["space open ~/.parley/archives/sess_review-20260102T000000Z.parley.gz", "space open FILE --ttl 7d"],
  details:
    "Reads what a space held when it ended into a new one, with the ids it had, so that chat, mail, notes and all else can be read there with every command: --space ID. Nothing goes on by itself in it: no trigger fires, nothing is started, and of those who were let into it only people are. All of it is opened or nothing.",
  positionals: {
    archive: { required: true, description: "the file, from the folder `archives` of the hub's data folder" },
  },
  options: { ttl: text("TIME", "how long to keep it open: 90m, 7d", { default: "24h" }) },
  async run(cli, { archive, ttl }) {
    const path = resolve(archive);
    const ttl_seconds = Math.round(duration("--ttl", ttl) / 1000);
    const { header, rows } = await checkArchive(path);
    const key = randomUUID();
    // It has the hub check each field.
    const opening = { header } as unknown as Input<"space_open">;
    const { space: id } = await cli.call("space_open", opening, { key });
    let page = 0;
    for await (const lines of batches(rowLinesOf(path), MOST, ({ length }) => length)) {
      page += 1;
      const rows = gzipSync(lines.join("\n")).toString("base64");
      await cli.call("space_fill", { id, rows }, { key: `${key} ${page}` });
    }
    const opened = await cli.call("space_finish", { id, rows, ttl_seconds }, { key: `${key} end` });
    await cli.out.result(
      { ...opened, archive: path, was: header.space, ended_at: header.ended_at, rows },
      () =>
        `Opened ${header.space}, which ended ${header.ended_at}, as ${id} until ${opened.expires_at}. Look into it: ${cli.line(`agent list --space ${id}`)}`,
      [id],
    );
  },
});
