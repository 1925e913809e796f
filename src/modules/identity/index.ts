import { has, READERS } from "../../context.ts";
import type { Module } from "../../module.ts";
import { resources } from "./resources.ts";
import { routes } from "./routes.ts";
import { agentsGlance, endedDue, forgettingDue, loginDue } from "./service.ts";
import { tools } from "./tools.ts";

export { AgentType, Lifecycle, LoginCode, Name, RunPhase } from "./schema.ts";
export {
  ADMIN_TOKEN,
  actorsEverywhere,
  addressed,
  agentsHere,
  type Credential,
  Credentials,
  checkSubscriber,
  doing,
  doingPlaces,
  endTokens,
  ensureAdminToken,
  ensureTrigger,
  findSelf,
  heartbeat,
  holder,
  isAsleep,
  isDefault,
  issueRunToken,
  noSuchAgent,
  ownHolder,
  people,
  recipients,
  runHolder,
  SPACE_ENDED,
  self,
  signIn,
  signOut,
  spaceDue,
  suggestion,
  triggerNamed,
} from "./service.ts";
export type { AgentRow, HolderRow } from "./tables.ts";
export { AGENT } from "./tools/naming.ts";

export const identity = {
  name: "identity",
  servers: [],
  tools,
  resources,
  routes,
  glance: agentsGlance,
  explains: { topics: ["agent"], sees: async ({ actor }) => has(actor, ...READERS) },
  due: { ...loginDue, ...endedDue, ...forgettingDue },
  // Grants stay: who was let into a space that expired is told so, everybody else that it is unknown.
  tables: ["agents", "agent_sessions"],
} satisfies Module;
