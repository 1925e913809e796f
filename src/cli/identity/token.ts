import { defineCommand } from "../core/command.ts";
import { rows } from "../core/fields.ts";
import type { Output } from "../core/tool-types.ts";

type Token = Output<"token_list">["tokens"][number];

const COLUMNS = ["id", "principal", "kind", "made_for", "grants", "made_by", "created_at", "expires_at", "revoked_at"];
/** What the hub's own words mean to a person. */
const PURPOSES: Readonly<Record<string, string>> = { browser: "a browser", session: "an agent's session" };

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

const shortened = (token: Token): Record<string, unknown> => ({
  ...token,
  made_for: PURPOSES[token.label ?? ""] ?? token.label,
  grants: token.grants.map(({ role, space }) => `${role}@${space}`),
});
