import { readFileSync } from "node:fs";
import { defineCommand } from "./command.ts";

export const version = defineCommand({
  examples: ["version", "--version"],
  async run(cli) {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    await cli.out.result({ version, node: process.versions.node }, () => `${version}`);
  },
});
