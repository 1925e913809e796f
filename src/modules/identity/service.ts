/**
 * A name belongs to one principal for ever, and no second one looks like it. A token is
 * stored as a hash and works until it is revoked; from then on nothing it opened goes on.
 * Rotating it changes the secret, not the subscriber. A space that is not yours and one that
 * does not exist give the same answer. See docs/design/identity.md.
 */
export { registerActing } from "./service/acting.ts";
export {
  addressed,
  agentsHere,
  findSelf,
  isDefault,
  noSuchAgent,
  noteDoing,
  register,
  report,
  self,
  setDefault,
} from "./service/agents.ts";
export { type Credential, Credentials } from "./service/credentials.ts";
export { deleteAgent } from "./service/deleting.ts";
export { doing, doingPlaces } from "./service/doing.ts";
export { spaceDue, spaceJobs } from "./service/ending.ts";
export { agentIn, isDefaulted, isSpaceEnd, revokedIn, TOKEN_TOPIC, TOPIC, unarchivedIn } from "./service/events.ts";
export { ADMIN_TOKEN, ensureAdminToken } from "./service/first-token.ts";
export { forgettingDue } from "./service/forgetting.ts";
export { forgettingSpacesDue, planForgettingSpaces } from "./service/forgetting-spaces.ts";
export { agentsGlance, glance, glanceAtAll, watchGlance } from "./service/glance.ts";
export { createLogin, loginDue, signIn, signOut } from "./service/login.ts";
export { holder, listPeople, ownHolder, people, recipients, suggestion } from "./service/mailboxes.ts";
export { ensureTrigger, triggerNamed } from "./service/names.ts";
export { fillSpace, finishSpace, openArchive, openingSpace } from "./service/opening.ts";
export { beat, find, findStartable, heartbeat, leave, list } from "./service/presence.ts";
export { issueRunToken, runHolder, setTokenCause } from "./service/run-tokens.ts";
export { endedDue, endTokens, ensure, listSessions } from "./service/sessions.ts";
export {
  actorsEverywhere,
  createSpace,
  deletableSpace,
  deleteSpace,
  listSpaces,
  lookAtSpace,
} from "./service/spaces.ts";
export { checkSubscriber, createToken, listTokens, newAgent, revokeToken, rotateToken } from "./service/tokens.ts";
export { whoami } from "./service/whoami.ts";
