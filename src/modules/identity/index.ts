import type { Module } from "../../module.ts";
import { resources } from "./resources.ts";
import { endedDue, loginDue } from "./service.ts";
import { tools } from "./tools.ts";

export { AgentType, Lifecycle, LoginCode, Name, RunPhase } from "./schema.ts";
export {
  ADMIN_TOKEN,
  addressed,
  type Credential,
  Credentials,
  checkSubscriber,
  ensureAdminToken,
  getSpace,
  heartbeat,
  holder,
  isDefault,
  listOpenSpaces,
  noSuchAgent,
  ownHolder,
  people,
  recipients,
  SPACE_ENDED,
  self,
  signIn,
  signOut,
  spaceDue,
  suggestion,
} from "./service.ts";
export type { AgentRow, HolderRow } from "./tables.ts";

export const identity = {
  name: "identity",
  servers: [],
  tools,
  resources,
  due: { ...loginDue, ...endedDue },
  // Grants stay: who was let into a space that expired is told so, everybody else that it is unknown.
  tables: ["agents", "agent_sessions"],
} satisfies Module;
