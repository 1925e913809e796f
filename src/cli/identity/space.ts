import { visibleLine } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand } from "../core/command.ts";
import { confirmed, YES } from "../core/confirm.ts";
import { Failure, invalid } from "../core/failure.ts";
import { fields } from "../core/fields.ts";
import { theOne } from "../core/short-ids.ts";

export const create = defineCommand({
  people: true,
  examples: ["space create", "space create sess_review --ttl 7d"],
  details: "Everything in it is gone when it expires.",
  positionals: { id: { description: "its id: a UUID or sess_…; chosen for you without it" } },
  options: { ttl: { type: "text", value: "TIME", description: "how long it lasts: 90s, 30m, 24h, 7d (default 24h)" } },
  async run(cli, { id, ttl }) {
    const ttl_seconds = ttl === undefined ? undefined : seconds(ttl);
    const space = await cli.call("space_create", { ...(id && { id }), ...(ttl_seconds && { ttl_seconds }) });
    await cli.out.result(
      space,
      () => fields(cli.out, space),
      () => [String(space.space)],
    );
  },
});

export const remove = defineCommand({
  people: true,
  examples: ["space delete sess_review", "space delete sess_review --yes", "space delete sess_review --dry-run"],
  positionals: { id: { required: true, description: "its id, or how it begins" } },
  options: { dry_run: { type: "flag", description: "only say what it would do" }, ...YES },
  async run(cli, { id: given, dry_run, yes }) {
    const id = await wholeId(cli, given);
    if (dry_run) return preview(cli, id);
    const question = `Delete ${visibleLine(id)} and everything in it? It cannot be brought back.`;
    if (!(await confirmed(cli, { yes, question }))) return cli.out.write("Nothing was deleted.");
    const answer = await cli.call("space_delete", { id });
    await cli.out.result(
      answer,
      () => `Deleted ${visibleLine(id)} and everything in it.`,
      () => [],
    );
  },
});

/** What no space begins with is for the hub to refuse. */
async function wholeId(cli: Cli, given: string): Promise<string> {
  const { spaces } = await cli.call("space_list", {});
  const ids = spaces.map(({ space }) => space);
  return ids.some((id) => id.startsWith(given)) ? theOne(given, ids, "space") : given;
}

async function preview(cli: Cli, id: string): Promise<void> {
  const { spaces } = await cli.call("space_list", {});
  const space = spaces.find(({ space }) => space === id);
  if (!space) throw new Failure("SESSION_NOT_FOUND", `There is no space ${JSON.stringify(id)}.`);
  await cli.out.result({ dry_run: true, space }, () => `Would delete ${visibleLine(id)} and everything in it.`);
}

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

export function seconds(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,8})([smhd])$/.exec(text) ?? [];
  const each = UNITS[unit ?? ""];
  if (!count || !each) throw invalid(`--ttl takes a time such as 90s, 30m, 24h or 7d, not ${JSON.stringify(text)}.`);
  return Number(count) * each;
}
