import { readFileSync } from "node:fs";
import { defineCommand } from "./command.ts";
import { PACKAGE } from "./program.ts";

export const version = defineCommand({
  examples: ["version", "--version"],
  async run(cli) {
    const { version } = JSON.parse(readFileSync(PACKAGE, "utf8"));
    await cli.out.result({ version, node: process.versions.node }, () => `${version}`);
  },
});
