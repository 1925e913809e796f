import type { Module } from "../../module.ts";
import { tools } from "./tools.ts";

export { AgentType, Lifecycle, Name, RunPhase } from "./schema.ts";
export {
  addressed,
  type Credential,
  Credentials,
  checkSubscriber,
  ensureAdminToken,
  getSpace,
  listOpenSpaces,
  noSuchAgent,
  self,
  spaceDue,
} from "./service.ts";
export type { AgentRow } from "./tables.ts";

export const identity: Module = {
  name: "identity",
  servers: [],
  tools,
  // Grants stay: who was let into a space that expired is told so, everybody else that it is unknown.
  tables: ["agents"],
};
