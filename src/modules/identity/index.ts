import type { Module } from "../../module.ts";
import { resources } from "./resources.ts";
import { loginDue } from "./service.ts";
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
  isDefault,
  listOpenSpaces,
  noSuchAgent,
  SPACE_ENDED,
  self,
  signIn,
  signOut,
  spaceDue,
} from "./service.ts";
export type { AgentRow } from "./tables.ts";

export const identity = {
  name: "identity",
  servers: [],
  tools,
  resources,
  due: loginDue,
  // Grants stay: who was let into a space that expired is told so, everybody else that it is unknown.
  tables: ["agents"],
} satisfies Module;
