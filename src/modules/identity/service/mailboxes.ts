import { AGENTS, type Ctx, has } from "../../../context.ts";
import { didYouMean } from "../../../suggest.ts";
import type { PeopleList } from "../schema.ts";
import * as store from "../store/mailboxes.ts";
import type { HolderRow } from "../tables.ts";
import { self } from "./agents.ts";

/** Those of these names who can be written to: the agents of a space, and the people who may use it. */
export async function recipients(ctx: Ctx, names: readonly string[]): Promise<HolderRow[]> {
  return store.listRecipients(ctx.db, { space_id: ctx.actor.space_id, names });
}

/** Who has a mailbox: the same, and agents that were deleted. What they had got is still there to be read. */
export async function holder(ctx: Ctx, name: string): Promise<HolderRow | undefined> {
  return store.findHolder(ctx.db, { space_id: ctx.actor.space_id, name });
}

/** The people of the actor's space. */
export const people = (ctx: Ctx): Promise<HolderRow[]> => store.listPeople(ctx.db, ctx.actor.space_id);

/** The same, by name alone. */
export const listPeople = async (ctx: Ctx): Promise<PeopleList> => ({
  people: (await people(ctx)).map(({ name }) => ({ name })),
});

/** As whom the actor writes and is written to: the agent that it is, or that it acts for, else itself. */
export async function ownHolder(ctx: Ctx): Promise<HolderRow> {
  const { principal_id, name, kind } = ctx.actor;
  if (!has(ctx.actor, ...AGENTS)) return { principal_id, name, kind };
  const agent = await self(ctx);
  return { principal_id: agent.principal_id, name: agent.name, kind: "agent" };
}

const MOST_NAMES = 1000;

/** What to add to the sentence that somebody is not here. */
export async function suggestion(ctx: Ctx, name: string): Promise<string> {
  return didYouMean(name, await store.listHolderNames(ctx.db, { space_id: ctx.actor.space_id, limit: MOST_NAMES }));
}
