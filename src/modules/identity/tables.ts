import type { PrincipalKind, Role } from "../../context.ts";
import type { Agent } from "./schema.ts";

export type PrincipalRow = { id: string; name: string; skeleton: string; kind: PrincipalKind; created_at: string };

/** `*` as the space means every one. */
export type GrantRow = { space_id: string; role: Role };

/** With the end of its space, which has one unless it is permanent. */
export type HeldGrantRow = GrantRow & { expires_at: string | null };

export type TokenRow = {
  id: string;
  /** SHA-256 of the secret, in hex. */
  hash: string;
  principal_id: string;
  subscriber_id: string;
  created_by: string;
  /** The token by which it was made, and with which it falls; null for the hub's own, and for those of before this was noted. */
  made_by: string | null;
  created_at: string;
  revoked_at: string | null;
  /** What it is for, where it was not made by hand. */
  label: string | null;
  /** Null for one that works until it is revoked. */
  expires_at: string | null;
  /** The only space and role it is good for, where it was made for a run; null for all that its holder has. */
  space_id: string | null;
  role: Role | null;
  /** The event of that space that began the run. */
  cause: number | null;
  /** Since when the policy of that space decides about what is called with it; null where it does not. */
  governed_at: string | null;
};

export type LoginCodeRow = {
  /** SHA-256 of the code, in hex. */
  hash: string;
  principal_id: string;
  created_by: string;
  /** As of a token. */
  made_by: string | null;
  created_at: string;
  expires_at: string;
  /** The token it was exchanged for. */
  token_id: string | null;
};

export type SpaceRow = {
  id: string;
  default_inbox_id: number;
  created_by: string;
  created_at: string;
  expires_at: string | null;
  emptied_at: string | null;
};

export type AgentRow = Pick<Agent, "name" | "type" | "lifecycle" | "run_phase" | "created_at" | "updated_at"> & {
  principal_id: string;
  inbox_id: number;
  /** The inbox of its space that people speak to who name nobody: this agent's, or another's. */
  default_inbox_id: number;
};

/** Who has a mailbox. */
export type HolderRow = { principal_id: string; name: string; kind: PrincipalKind };

/** A session of some client, and which agent it is. */
export type SessionRow = {
  client_session_id: string;
  principal_id: string;
  name: string;
  /** The one that was last made for it. */
  token_id: string;
  client: string | null;
  project: string | null;
  branch: string | null;
  created_by: string;
  created_at: string;
  last_seen_at: string;
  /** Set by one that said that it has ended, until it is heard of again. */
  left_at: string | null;
};

/** When and where an agent was last seen. */
export type SeenRow = {
  last_seen_at: string | null;
  /** Its session said that it has ended, and nothing was heard since. */
  left_at: string | null;
  project: string | null;
  branch: string | null;
  client: string | null;
};

export type PresenceRow = SeenRow & { principal_id: string; name: string; deleted_at: string | null };
