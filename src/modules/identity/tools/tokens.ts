import { z } from "zod";
import { ADMINS, ONLOOKERS } from "../../../context.ts";
import { HUB_SPACE } from "../../../db/open.ts";
import { defineTool, type Lookup } from "../../../tool.ts";
import {
  CreateLogin,
  CreateToken,
  LoginCode,
  NewToken,
  RevokedToken,
  RotatedToken,
  RotateToken,
  TokenId,
  TokenList,
} from "../schema.ts";
import * as service from "../service.ts";

const Nothing = z.strictObject({});
const facets = ["admin"] as const;

/** What the words of commands name. */
const TOKEN: Lookup = { what: "token", tool: "token_list", list: "tokens", short: true, unless: "revoked_at" };
const NEW_TOKEN = {
  says: "{token}\n\nKeep it: it is not shown again. Use it: export PARLEY_TOKEN={token}\n",
  shows: { fields: ["id", "principal", "space", "also_revoked", "codes_ended"] },
  id: "token",
} as const;

export const tokens = [
  defineTool({
    name: "token_create",
    title: "Create a token",
    description: "Makes a token for a person or an agent. Roles agent, orchestrator and worker register the agent too.",
    roles: ADMINS,
    facets,
    writes: true,
    secret: true,
    scope: ({ actor }, { space }) => space ?? actor.space_id,
    core: true,
    commands: [
      {
        name: "token create",
        summary: "give a person or an agent a credential",
        common: true,
        people: true,
        examples: ["token create --role agent --name scout", "token create --role human --name ana --for 'the laptop'"],
        details:
          "The token is shown this once; the hub keeps only its hash. An agent of that name is registered if it is new.",
        called: { label: "for" },
        // Every command has --space, and the call is made there.
        without: ["space", "exact"],
        ...NEW_TOKEN,
      },
    ],
    input: CreateToken,
    output: NewToken,
    run: service.createToken,
  }),
  defineTool({
    name: "token_list",
    title: "List tokens",
    description: "Lists every token and every code to sign in, with its owner and who made it, without the secrets.",
    roles: ADMINS,
    facets,
    core: true,
    commands: [
      {
        name: "token list",
        summary: "list the credentials",
        people: true,
        examples: ["token list"],
        rows: {
          list: "tokens",
          columns: [
            ...["id", "principal", "kind", "made_for", "grants", "made_by"],
            ...["created_at", "expires_at", "revoked_at"],
          ],
          cells: {
            made_for: [
              { when: { label: "browser" }, says: "a browser" },
              { when: { label: "session" }, says: "an agent's session" },
              { says: "{label}" },
            ],
            grants: { of: "grants", says: "{role}@{space}" },
          },
        },
        id: "id",
      },
    ],
    input: Nothing,
    output: TokenList,
    run: service.listTokens,
  }),
  defineTool({
    name: "token_revoke",
    title: "Revoke a token",
    description: "Ends a token at once, with every stream opened by it and every token and code made with it.",
    roles: ADMINS,
    facets,
    writes: true,
    scope: () => HUB_SPACE,
    core: true,
    commands: [
      {
        name: "token revoke",
        summary: "take a credential back",
        people: true,
        examples: ["token revoke t_1234", "token revoke t_1234 --yes", "token revoke t_1234 --dry-run"],
        details:
          "It stops working at once, with the streams it had opened, and so does every token and every sign-in made with it.",
        words: { id: "the token, as parley token list names it, or how it begins" },
        names: { id: TOKEN },
        asks: {
          question:
            "Revoke {id} of {principal}[ (for {label})]? It stops working at once, with all that was made with it.",
          refused: "Nothing was revoked.",
        },
        dry_run: { says: "Would revoke {id} of {principal}." },
        says: "Revoked {id}. It no longer works.[ Nor does what was made with it: {also_revoked|token}.][ {codes_ended|sign-in link} made with it ended too.]",
      },
    ],
    input: TokenId,
    output: RevokedToken,
    run: service.revokeToken,
  }),
  defineTool({
    name: "token_rotate",
    title: "Rotate a token",
    description: "Gives a token a new secret. Its read marks and what it made stay; the old secret stops at once.",
    roles: ADMINS,
    facets,
    writes: true,
    secret: true,
    scope: () => HUB_SPACE,
    commands: [
      {
        name: "token rotate",
        summary: "replace a credential by a new one",
        people: true,
        examples: ["token rotate t_1234", "token rotate t_1234 --yes", "token rotate t_1234 --revoke-made"],
        details: "The old one stops working at once. Whoever has the new one goes on where the old one was.",
        words: { id: "the token, as parley token list names it, or how it begins" },
        names: { id: TOKEN },
        asks: {
          question: "Replace {id} of {principal}[ (for {label})]? The one there is stops working at once.",
          refused: "Nothing was replaced.",
        },
        dry_run: { says: "Would rotate {id} of {principal}." },
        ...NEW_TOKEN,
      },
    ],
    input: RotateToken,
    output: RotatedToken,
    run: service.rotateToken,
  }),
  defineTool({
    name: "login_create",
    title: "Let a browser sign in",
    description:
      "Makes a code by which one browser may sign in within ten minutes, as you or, for an admin, as the person named. Open the hub's address with #code=CODE behind it.",
    roles: ONLOOKERS,
    facets,
    writes: true,
    secret: true,
    scope: () => HUB_SPACE,
    input: CreateLogin,
    output: LoginCode,
    run: service.createLogin,
  }),
];
