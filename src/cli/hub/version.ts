import { readFileSync } from "node:fs";
import { defineCommand } from "../core/command.ts";
import { PACKAGE } from "../root.ts";

export const version = defineCommand({
  examples: ["version", "--version"],
  async run(cli) {
    const { version } = JSON.parse(readFileSync(PACKAGE, "utf8"));
    await cli.out.result({ version, node: process.versions.node }, () => `${version}`);
  },
});
