import type { Ctx } from "../../../context.ts";
import type { Whoami } from "../schema.ts";
import * as store from "../store.ts";

export async function whoami({ db, actor }: Ctx): Promise<Whoami> {
  const { name, kind, roles, space_id, principal_id } = actor;
  const agent = await store.findAgentByPrincipal(db, { space_id, principal_id });
  return { principal: name, kind, roles: [...roles], space: space_id, agent: agent?.name ?? null };
}
