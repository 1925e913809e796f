import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cli } from "../core/cli.ts";
import { defineCommand, text } from "../core/command.ts";
import { confirmed, isAskable, YES } from "../core/confirm.ts";
import { invalid, reasonOf } from "../core/failure.ts";
import { readStdin } from "../core/io.ts";

export const edit = defineCommand({
  people: true,
  examples: ["policy edit", "policy edit policy.json --note 'git is harmless'", "policy edit - --yes"],
  details:
    "Without a file it is opened in $VISUAL or $EDITOR. What it would have decided otherwise so far is shown before it is asked about; a policy that somebody else has changed meanwhile is not overwritten.",
  positionals: { file: { description: "the policy as JSON, or - for stdin" } },
  options: { note: text("TEXT", "why, for the history"), ...YES },
  async run(cli, { file, note = "", yes }) {
    const before = await cli.call("policy_get", {});
    const document = await textFrom(cli, file, `${JSON.stringify(before.document, null, 2)}\n`);
    const question = async (): Promise<string> => {
      const { words } = await cli.call("policy_preview", { document, limit: 1 });
      return `${words} Set it?`;
    };
    if (!(await confirmed(cli, { yes, question }))) return cli.out.write("Nothing was changed.");
    const policy = await cli.call("policy_set", { document, expected_version: before.version, note });
    await cli.out.result(policy, () => `The policy is at version ${policy.version}.`, [String(policy.version)]);
  },
});

async function textFrom(cli: Cli, file: string | undefined, before: string): Promise<string> {
  if (file === "-") return readStdin(cli.io);
  if (file !== undefined) return read(file);
  const editor = cli.io.env.VISUAL ?? cli.io.env.EDITOR;
  if (!editor || !isAskable(cli))
    throw invalid("Name the file with the policy, or set EDITOR and run it at a terminal.");
  const folder = mkdtempSync(join(tmpdir(), "parley-policy-"));
  try {
    const path = join(folder, "policy.json");
    writeFileSync(path, before, { mode: 0o600 });
    const { spawnSync } = process.getBuiltinModule("node:child_process");
    // As git does: it may be a command with options.
    const { status } = spawnSync("sh", ["-c", `${editor} "$1"`, "sh", path], { stdio: "inherit" });
    if (status !== 0) throw invalid("The editor did not end well, so nothing was changed.");
    return read(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw invalid(`${path} cannot be read: ${reasonOf(cause)}.`, { cause });
  }
}
