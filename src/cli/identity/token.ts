import type { Role } from "../../context.ts";
import { visibleLine } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand } from "../core/command.ts";
import { confirmed, YES } from "../core/confirm.ts";
import { Failure } from "../core/failure.ts";
import { fields, rows } from "../core/fields.ts";
import { theOne } from "../core/short-ids.ts";
import type { Output } from "../core/tool-types.ts";

type Token = Output<"token_list">["tokens"][number];
type Revoked = Output<"token_revoke">;

/** Spelled out, since the list itself lives where the whole hub would be loaded with it. */
const ROLES = ["admin", "human", "agent", "orchestrator", "trigger", "worker", "observer"] as const satisfies Role[];
const COLUMNS = ["id", "principal", "kind", "made_for", "grants", "made_by", "created_at", "expires_at", "revoked_at"];
/** What the hub's own words mean to a person. */
const PURPOSES: Readonly<Record<string, string>> = { browser: "a browser", session: "an agent's session" };
const DRY_RUN = { type: "flag", description: "only say what it would do" } as const;

export const create = defineCommand({
  people: true,
  examples: ["token create --role agent --name scout", "token create --role human --name ana --for 'the laptop'"],
  details:
    "The token is shown this once; the hub keeps only its hash. An agent of that name is registered if it is new.",
  options: {
    role: { type: "text", value: "ROLE", required: true, choices: ROLES, description: ROLES.join(", ") },
    name: { type: "text", value: "NAME", required: true, description: "whose token it is" },
    for: { type: "text", value: "TEXT", description: "what it is for, as parley token list will say" },
  },
  async run(cli, { role, name, for: label }) {
    const space = cli.space;
    const wanted = { role, name, ...(space && { space }), ...(label && { label }) };
    const made = await cli.call("token_create", wanted);
    await cli.out.result(
      made,
      () => given(cli, made),
      () => [made.token],
    );
  },
});

export const list = defineCommand({
  people: true,
  examples: ["token list"],
  async run(cli) {
    const listed = await cli.call("token_list", {});
    await cli.out.result(
      listed,
      () => rows(cli.out, listed.tokens.map(shortened), COLUMNS),
      () => listed.tokens.map(({ id }) => id),
    );
  },
});

export const revoke = defineCommand({
  people: true,
  examples: ["token revoke t_1234", "token revoke t_1234 --yes", "token revoke t_1234 --dry-run"],
  details:
    "It stops working at once, with the streams it had opened, and so does every token and every sign-in made with it.",
  positionals: { id: { required: true, description: "the token, as parley token list names it, or how it begins" } },
  options: { dry_run: DRY_RUN, ...YES },
  async run(cli, { id, dry_run, yes }) {
    if (dry_run) return preview(cli, id, "revoke");
    const whole = await tokenId(cli, id);
    const question = async (): Promise<string> =>
      `Revoke ${await named(cli, whole)}? It stops working at once, with all that was made with it.`;
    if (!(await confirmed(cli, { yes, question }))) return cli.out.write("Nothing was revoked.");
    const revoked = await cli.call("token_revoke", { id: whole });
    await cli.out.result(
      revoked,
      () => `Revoked ${visibleLine(id)}. It no longer works.${fallen(revoked)}`,
      () => [],
    );
  },
});

export const rotate = defineCommand({
  people: true,
  examples: ["token rotate t_1234", "token rotate t_1234 --yes"],
  details: "The old one stops working at once. Whoever has the new one goes on where the old one was.",
  positionals: { id: { required: true, description: "the token, as parley token list names it, or how it begins" } },
  options: { dry_run: DRY_RUN, ...YES },
  async run(cli, { id, dry_run, yes }) {
    if (dry_run) return preview(cli, id, "rotate");
    const whole = await tokenId(cli, id);
    const question = async (): Promise<string> =>
      `Replace ${await named(cli, whole)}? The one there is stops working at once.`;
    if (!(await confirmed(cli, { yes, question }))) return cli.out.write("Nothing was replaced.");
    const made = await cli.call("token_rotate", { id: whole });
    await cli.out.result(
      made,
      () => given(cli, made),
      () => [made.token],
    );
  },
});

function fallen({ also_revoked, codes_ended }: Revoked): string {
  const tokens = also_revoked === 0 ? [] : [also_revoked === 1 ? "1 token" : `${also_revoked} tokens`];
  const codes = codes_ended === 0 ? [] : [codes_ended === 1 ? "1 sign-in link" : `${codes_ended} sign-in links`];
  const all = [...tokens, ...codes];
  return all.length === 0 ? "" : ` Nor does what was made with it: ${all.join(" and ")}.`;
}

const shortened = (token: Token): Record<string, unknown> => ({
  ...token,
  made_for: PURPOSES[token.label ?? ""] ?? token.label,
  grants: token.grants.map(({ role, space }) => `${role}@${space}`),
});

const WHOLE_ID = 18;

async function tokenId(cli: Cli, given: string): Promise<string> {
  if (given.length >= WHOLE_ID || !given.startsWith("t_")) return given;
  const { tokens } = await cli.call("token_list", {});
  return theOne(
    given,
    tokens.filter(({ revoked_at }) => revoked_at === null).map(({ id }) => id),
    "token",
  );
}

async function preview(cli: Cli, given: string, verb: string): Promise<void> {
  const token = await found(cli, await tokenId(cli, given));
  await cli.out.result({ dry_run: true, token }, () => `Would ${verb} ${token.id} of ${visibleLine(token.principal)}.`);
}

async function found(cli: Cli, id: string): Promise<Token> {
  const { tokens } = await cli.call("token_list", {});
  const token = tokens.find((token) => token.id === id);
  if (token) return token;
  throw new Failure("NOT_FOUND", `There is no token ${JSON.stringify(id)}. See them all: ${cli.line("token list")}`);
}

/** Whose it is, and what for: nobody knows ids by heart. */
async function named(cli: Cli, id: string): Promise<string> {
  const { principal, label } = await found(cli, id);
  const purpose = PURPOSES[label ?? ""] ?? label;
  return `${id} of ${visibleLine(principal)}${purpose ? ` (for ${visibleLine(purpose)})` : ""}`;
}

function given(cli: Cli, made: { token: string }): string {
  const { token, ...about } = made;
  return `${cli.out.bold(token)}\n\n${fields(cli.out, about)}\n\nKeep it: it is not shown again. Use it: export PARLEY_TOKEN=${token}`;
}
