import { has, READERS } from "../../context.ts";
import type { Module } from "../../module.ts";
import { resources } from "./resources.ts";
import { routes } from "./routes.ts";
import {
  agentsGlance,
  endedDue,
  forgettingDue,
  forgettingSpacesDue,
  loginDue,
  planForgettingSpaces,
  registerActing,
  TOPIC,
} from "./service.ts";
import { tools } from "./tools.ts";

export { AgentType, Lifecycle, LoginCode, Name, PrincipalName, RunPhase } from "./schema.ts";
export {
  ADMIN_TOKEN,
  actorsEverywhere,
  addressed,
  agentIn,
  agentsHere,
  beat,
  type Credential,
  Credentials,
  checkSubscriber,
  doing,
  doingPlaces,
  endTokens,
  ensureAdminToken,
  ensureTrigger,
  findSelf,
  findStartable,
  heartbeat,
  holder,
  isDefault,
  isDefaulted,
  isSpaceEnd,
  issueRunToken,
  newAgent,
  noSuchAgent,
  noteDoing,
  ownHolder,
  people,
  recipients,
  revokedIn,
  runHolder,
  self,
  setTokenCause,
  signIn,
  signOut,
  spaceDue,
  spaceJobs,
  suggestion,
  TOKEN_TOPIC,
  triggerNamed,
  unarchivedIn,
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
  heard: registerActing,
  explains: { topics: [TOPIC], sees: async ({ actor }) => has(actor, ...READERS) },
  due: { ...loginDue, ...endedDue, ...forgettingDue, ...forgettingSpacesDue },
  plan: planForgettingSpaces,
  // Grants stay for a month: who was let into a space that expired is told so, everybody else that it is unknown.
  tables: ["agents", "agent_sessions"],
} satisfies Module;
