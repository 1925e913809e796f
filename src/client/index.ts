/** What a page or a program needs to talk to a hub. Runs in browsers: only `node.ts` beside it needs Node. */
export type { Pace } from "./backoff.ts";
export { type ChatOptions, followChat, type Message } from "./chat.ts";
export {
  type CallOptions,
  Client,
  type ClientOptions,
  createClient,
  getMCPClient,
  type ListedTool,
  newKey,
  type ResourceContents,
} from "./client.ts";
export { HubError } from "./errors.ts";
export { type Bound, choosesSession, type InSession, SessionRefused, sentenceOf, withSession } from "./session.ts";
export type { ClientState } from "./state.ts";
export {
  createSubscriptionManager,
  type ResourceCallback,
  type ResourceData,
  type ResourceError,
  type SubscriptionManager,
} from "./subscriptions.ts";
export { fetchTransport, type HttpRequest, type HttpResponse, type Transport } from "./transport.ts";
export {
  type Outcome,
  openWorkflow,
  type Paused,
  type Resumed,
  type Workflow,
  type WorkflowOptions,
} from "./workflow.ts";
