import type { Role, TxCtx } from "../../../context.ts";
import { mint } from "./tokens.ts";

const LABEL = "run";

interface RunToken {
  /** As whom the run acts. */
  principal_id: string;
  /** Of the roles that its principal has in this space, the one that it may use; all if left out. */
  role?: Role;
  /** The event of this space that began the run: what is done with the token has it as its cause. */
  cause: number;
  expires_at: string;
}

/**
 * A token for one attempt of a run, or one turn: good for this space alone, until `endTokens` ends it in the transaction
 * that gives the run up. It is asked for at every call, so from that commit on no node takes it.
 */
export const issueRunToken = (ctx: TxCtx, token: RunToken): Promise<{ id: string; token: string }> =>
  mint(ctx, { ...token, made_by: null, label: LABEL, space_id: ctx.tx.space_id });
