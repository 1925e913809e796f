import { type Ctx, has, ONLOOKERS } from "../../../context.ts";
import { type AgentRow, addressed, noSuchAgent, self } from "../../identity/index.ts";

export interface OpenInbox {
  inbox_id: number;
  /** Null while no agent has been registered: what is said waits for the first one. */
  agent: AgentRow | null;
}

/** Roles that may look into every inbox of their space. */
export const seesAll = ({ actor }: Ctx): boolean => has(actor, ...ONLOOKERS);

/** The inbox to read. People may name any agent of the space; an agent is always itself. */
export async function readableInbox(ctx: Ctx, agent: string | undefined): Promise<OpenInbox> {
  return seesAll(ctx) ? addressed(ctx, agent) : inboxOf(ctx, agent);
}

/** The inbox of the agent that the actor is. To name another is to name one that does not exist. */
export async function inboxOf(ctx: Ctx, name: string | undefined): Promise<OpenInbox> {
  const agent = await self(ctx);
  if (name !== undefined && name !== agent.name) throw noSuchAgent(name);
  return { inbox_id: agent.inbox_id, agent };
}
