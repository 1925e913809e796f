import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Ctx, TxCtx } from "../../../context.ts";
import { plan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import type { DueHandler } from "../../../module.ts";
import { type AgentRow, endTokens, issueRunToken } from "../../identity/index.ts";
import type { RuntimeOf, RuntimeStatus, StartAgent } from "../schema.ts";
import type { RuntimeRow } from "../tables.ts";
import { tellChange } from "./events.ts";
import { steer } from "./steering.ts";
import { isoAt, TOKEN_MS } from "./wire.ts";

const TOKEN_END = "runtime.token";
const GOODBYE_MS = 60_000;

/** Has the hub itself run an agent, again after each restart. It acts with a token of its own, which nobody is shown. */
export const startInHub = (ctx: Ctx, { definition, ...of }: StartAgent): Promise<RuntimeStatus> =>
  steer(ctx, of, async (ctx, agent, row) => {
    const parsed = parsedDefinition(definition);
    const { space_id } = ctx.tx;
    const why = ctx.hostingRefusal({ space_id, agent: agent.name, definition: parsed });
    if (why !== undefined) throw new ParleyError("INVALID_ARGUMENT", why);
    const before = tokenIn(row);
    if (before) await endTokens(ctx, [before.token_id]);
    return { ...row, in_hub: await hosted(ctx, agent, parsed) };
  });

/** What has the hub run it from now on, with a token of its own; where nothing is set for it there, like another one. */
export async function hosted(ctx: TxCtx, agent: AgentRow, definition: object, like?: string): Promise<string> {
  const cause = await tellChange(ctx, agent, "wanted");
  const expires_at = isoAt(ctx.now() + TOKEN_MS);
  // The runtime's own: it asks the policy itself before it calls anything for its model.
  const { id: token_id } = await issueRunToken(ctx, { principal_id: agent.principal_id, cause, expires_at });
  // Started again with the same definition it is run anew all the same.
  const start_id = randomBytes(6).toString("base64url");
  return JSON.stringify({ definition, token_id, start_id, like });
}

/** How the hub runs it; undefined where it does not. */
export const hostingIn = ({ in_hub }: RuntimeRow): z.infer<typeof Hosted> | undefined =>
  in_hub === null ? undefined : Hosted.parse(JSON.parse(in_hub));

/** The hub no longer runs it. */
export const stopInHub = (ctx: Ctx, of: RuntimeOf): Promise<RuntimeStatus> =>
  steer(ctx, of, async (ctx, agent, row) => {
    if (row.in_hub === null) throw new ParleyError("CONFLICT", `The hub does not run ${agent.name}.`);
    const ref = await tellChange(ctx, agent, "unwanted");
    // Not at once: with it the runtime says that it has stopped.
    const payload = tokenIn(row);
    await plan(ctx, { kind: TOKEN_END, ref, at: ctx.now() + GOODBYE_MS, payload });
    return { ...row, in_hub: null };
  });

export const hostingDue: Record<string, DueHandler> = {
  [TOKEN_END]: async (ctx, { payload }) => endTokens(ctx, [Payload.parse(payload).token_id]),
};

function parsedDefinition(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // It is refused below.
  }
  throw new ParleyError("INVALID_ARGUMENT", "definition: this is no JSON object.");
}

const Payload = z.object({ token_id: z.string() });
const Hosted = z.object({ definition: z.looseObject({}), like: z.string().optional() });

const tokenIn = ({ in_hub }: RuntimeRow): { token_id: string } | undefined =>
  in_hub === null ? undefined : Payload.parse(JSON.parse(in_hub));
