import { resolve } from "node:path";
import { readIfThere } from "../../local/files.ts";
import type { ServerSpec } from "../../runtime/index.ts";
import { visible, visibleLine } from "../../visible.ts";
import { defineCommand, flag } from "../core/command.ts";
import { confirmed, YES } from "../core/confirm.ts";
import { invalid } from "../core/failure.ts";
import { folderConfig, parse, saveTrust } from "./mcp-config.ts";

export const trust = defineCommand({
  people: true,
  examples: ["trust", "trust .mcp.json --yes", "trust --off"],
  details:
    "A .mcp.json in the working folder may have come with somebody else's files, and names programs to start. agent run uses it once you have trusted it, as it is now: a changed one has to be trusted again.",
  positionals: { file: { description: "which file; .mcp.json of this folder if left out" } },
  options: { ...YES, off: flag("trust it no more") },
  async run(cli, { file, yes, off }) {
    const path = resolve(file ?? folderConfig());
    const text = readIfThere(path);
    if (off) {
      saveTrust(cli, path, undefined);
      return cli.out.result({ file: path, trusted: false }, () => `${visibleLine(path)} is not trusted.`);
    }
    if (text === undefined) throw invalid(`There is no file ${visible(path)}.`);
    const servers = [...parse(path, text)].map(([name, spec]) => ({ name, does: saying(spec) }));
    for (const { name, does } of servers) cli.out.note(visibleLine(`${name}: ${does}`));
    if (!(await confirmed(cli, { yes, question: `Let agents that you run use ${visibleLine(path)}?` }))) return;
    saveTrust(cli, path, text);
    const result = { file: path, trusted: true, servers };
    await cli.out.result(result, () => `${visibleLine(path)} is trusted, as it is now.`);
  },
});

const saying = (spec: ServerSpec): string =>
  "command" in spec
    ? `starts ${JSON.stringify([spec.command, ...spec.args])}${withNames(" with", Object.keys(spec.env))}`
    : `calls ${spec.url}${withNames(" with headers", Object.keys(spec.headers))}`;

const withNames = (what: string, names: readonly string[]): string =>
  names.length > 0 ? `${what} ${names.join(", ")}` : "";
