import { type Ctx, has, ONLOOKERS, READERS } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { type HolderRow, holder, noSuchAgent, ownHolder } from "../../identity/index.ts";

/** Roles that may look into every agent's mailbox of their space. */
export const seesMailboxes = ({ actor }: Ctx): boolean => has(actor, ...ONLOOKERS);

/**
 * Whose mailbox is meant. Without a name one's own. People may look into an agent's; to name
 * anybody else is to name one that does not exist.
 */
export async function holderOf(ctx: Ctx, name: string | undefined): Promise<HolderRow> {
  const own = await ownHolder(ctx);
  if (name === undefined || name === own.name) return own;
  const other = seesMailboxes(ctx) ? await holder(ctx, name) : undefined;
  if (other?.kind !== "agent") throw noSuchAgent(name);
  return other;
}

/** The same, to be told of what happens there. Who has no mailbox has nothing to follow. */
export async function followable(ctx: Ctx, name: string | undefined): Promise<HolderRow> {
  if (has(ctx.actor, ...READERS)) return holderOf(ctx, name);
  throw new ParleyError("FORBIDDEN", `Mail is for ${READERS.join(", ")}; you are ${ctx.actor.roles.join(", ")}.`);
}

/** The same, to change something there: in an agent's mailbox only an administrator may. */
export async function changeableHolder(ctx: Ctx, name: string | undefined): Promise<HolderRow> {
  const mailbox = await holderOf(ctx, name);
  if (has(ctx.actor, "admin")) return mailbox;
  const own = await ownHolder(ctx);
  if (mailbox.principal_id === own.principal_id) return mailbox;
  throw new ParleyError("FORBIDDEN", `Only ${mailbox.name} itself and administrators change what is in its mailbox.`);
}

export const noSuchMail = (id: string): ParleyError =>
  new ParleyError("MAIL_NOT_FOUND", `There is no mail ${id} for you here.`);
