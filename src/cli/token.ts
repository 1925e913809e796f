import type { Role } from "../context.ts";
import type { Cli } from "./cli.ts";
import { defineCommand } from "./command.ts";
import { Failure } from "./failure.ts";
import { fields, rows } from "./fields.ts";
import { visibleLine } from "./visible.ts";

interface Token {
  id: string;
  principal: string;
  kind: string;
  grants: { space: string; role: string }[];
  created_at: string;
  revoked_at: string | null;
  label: string | null;
  expires_at: string | null;
}

/** Spelled out, since the list itself lives where the whole hub would be loaded with it. */
const ROLES = ["admin", "human", "agent", "orchestrator", "trigger", "worker", "observer"] as const satisfies Role[];
const COLUMNS = ["id", "principal", "kind", "label", "grants", "created_at", "expires_at", "revoked_at"];
const DRY_RUN = { type: "flag", description: "only say what it would do" } as const;

export const create = defineCommand({
  people: true,
  examples: ["token create --role agent --name scout", "token create --role human --name ana --space main --json"],
  details:
    "The token is shown this once; the hub keeps only its hash. An agent of that name is registered if it is new.",
  options: {
    role: { type: "text", value: "ROLE", required: true, choices: ROLES, description: ROLES.join(", ") },
    name: { type: "text", value: "NAME", required: true, description: "whose token it is" },
  },
  async run(cli, { role, name }) {
    const space = cli.space;
    const made = await cli.call<{ token: string }>("token_create", { role, name, ...(space && { space }) });
    await cli.out.result(made, () => given(cli, made));
  },
});

export const list = defineCommand({
  people: true,
  examples: ["token list"],
  async run(cli) {
    const listed = await cli.call<{ tokens: Token[] }>("token_list", {});
    await cli.out.result(listed, () => rows(listed.tokens.map(shortened), COLUMNS));
  },
});

export const revoke = defineCommand({
  people: true,
  examples: ["token revoke t_1234", "token revoke t_1234 --dry-run"],
  details: "It stops working at once, and the streams it had opened are closed.",
  positionals: { id: { required: true, description: "the token, as `parley token list` names it" } },
  options: { dry_run: DRY_RUN },
  async run(cli, { id, dry_run }) {
    if (dry_run) return preview(cli, id, "revoke");
    const revoked = await cli.call<object>("token_revoke", { id });
    await cli.out.result(revoked, () => `Revoked ${visibleLine(id)}. It no longer works.`);
  },
});

export const rotate = defineCommand({
  people: true,
  examples: ["token rotate t_1234"],
  details: "The old one stops working at once. Whoever has the new one goes on where the old one was.",
  positionals: { id: { required: true, description: "the token, as `parley token list` names it" } },
  options: { dry_run: DRY_RUN },
  async run(cli, { id, dry_run }) {
    if (dry_run) return preview(cli, id, "rotate");
    const made = await cli.call<{ token: string }>("token_rotate", { id });
    await cli.out.result(made, () => given(cli, made));
  },
});

const shortened = (token: Token): Record<string, unknown> => ({
  ...token,
  grants: token.grants.map(({ role, space }) => `${role}@${space}`),
});

async function preview(cli: Cli, id: string, verb: string): Promise<void> {
  const { tokens } = await cli.call<{ tokens: Token[] }>("token_list", {});
  const token = tokens.find((token) => token.id === id);
  if (!token)
    throw new Failure("NOT_FOUND", `There is no token ${JSON.stringify(id)}. See them all: parley token list`);
  await cli.out.result({ dry_run: true, token }, () => `Would ${verb} ${id} of ${visibleLine(token.principal)}.`);
}

function given(cli: Cli, made: { token: string }): string {
  const { token, ...about } = made;
  return `${cli.out.bold(token)}\n\n${fields(about)}\n\nKeep it: it is not shown again. Use it: export PARLEY_TOKEN=${token}`;
}
