import type { Verdict } from "../../audit/verify.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand, howMany } from "../core/command.ts";
import { Failure } from "../core/failure.ts";
import { rows } from "../core/fields.ts";
import { counted } from "../core/words.ts";

/** Going through all of it takes a while. */
const PATIENCE_MS = 300_000;
const COLUMNS = ["seq", "ts", "agent", "op", "result", "count", "args"];
/** Beside those where they all have room: cut to a few letters each, none would say anything. */
const MORE_COLUMNS = ["session", "address", "id"];
const WIDE = 140;

export const verify = defineCommand({
  people: true,
  examples: ["audit verify"],
  details: "Finds lines that were changed, removed or cut off. Ends with exit code 1 if there are any.",
  async run(cli) {
    const verdict = await ask<Verdict>(cli, "/api/audit/verify");
    await cli.out.result(verdict, () => verdictText(verdict));
    if (!verdict.ok) cli.io.exitCode = 1;
  },
});

export const show = defineCommand({
  people: true,
  examples: ["audit show", "audit show -n 100 --json"],
  details:
    "The newest lines, oldest first. Arguments are named and measured; what they held is not kept. A narrow terminal has no room for space, address and id; --json has them.",
  options: { limit: howMany(20, 1000, "how many") },
  async run(cli, { limit }) {
    const { lines } = await ask<{ lines: Record<string, unknown>[] }>(cli, `/api/audit?limit=${limit}`);
    const columns = (cli.out.width ?? WIDE) < WIDE ? COLUMNS : [...COLUMNS, ...MORE_COLUMNS];
    await cli.out.result({ lines }, () => rows(cli.out, lines, columns));
  },
});

async function ask<T>(cli: Cli, path: string): Promise<T> {
  const { status, body } = await (await cli.connect()).get(path, PATIENCE_MS);
  // What the hub answers there.
  if (status === 200) return body as T;
  const { code, error } = body as { code?: string; error?: string };
  throw new Failure(code ?? "HUB_UNREACHABLE", error ?? "The hub does not answer.");
}

function verdictText({ ok, lines, first_seq, last_seq, problems }: Verdict): string {
  const range = lines === 0 ? "" : `, ${first_seq} to ${last_seq}`;
  if (ok) return `The audit is whole: ${counted(lines, "line")}${range}.`;
  const found = problems.map(({ file, problem }) => (file ? `${problem} (${file})` : problem));
  return [`The audit is not as it was written: ${lines} lines${range}.`, ...found].join("\n");
}
