import { z } from "zod";
import { ROLES } from "../../context.ts";

const Role = z.enum(ROLES);

/** ASCII only, so that two names that look alike can be told to be. */
export const Name = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,38}[A-Za-z0-9])?$/,
    "a name is 1 to 40 letters, digits, dots, dashes and underscores",
  );

/** A name, or that of a trigger: `trigger:nightly`, with its space behind an @ where that is not the permanent one. */
export const PrincipalName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:@-]{0,159}$/);

export const SpaceId = z
  .string()
  .regex(
    /^(main|sess_[A-Za-z0-9_-]{1,64}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/,
    "a space is main, a UUID or sess_ and up to 64 letters, digits, dashes and underscores",
  );

const Time = z.iso.datetime();

const AGENT_TYPES = ["local", "ui", "bridge"] as const;
const LIFECYCLES = ["starting", "ready", "stopped", "failed"] as const;
const RUN_PHASES = ["idle", "sampling", "tools_running", "waiting_approval", "waiting_input"] as const;

export const AgentType = z.enum(AGENT_TYPES);
export const Lifecycle = z.enum(LIFECYCLES);
export const RunPhase = z.enum(RUN_PHASES);

export const Agent = z.object({
  name: Name,
  type: AgentType,
  lifecycle: Lifecycle,
  run_phase: RunPhase.describe("As it reports; waiting for approval or input while a question of its is open."),
  asks: z.int().describe("How many of its questions wait for a person."),
  waiting_since: Time.nullable().describe("Since when it waits for a person; null while it does not."),
  default: z.boolean().describe("Whether people who name no agent speak to this one."),
  created_at: Time,
  updated_at: Time,
});
export type Agent = z.infer<typeof Agent>;

const PRESENCES = ["active", "idle", "offline"] as const;
const Presence = z.enum(PRESENCES);
export type Presence = z.infer<typeof Presence>;

const seen = {
  presence: Presence,
  last_seen_at: Time.nullable(),
  project: z.string().nullable(),
  branch: z.string().nullable(),
  client: z.string().nullable(),
};

/** An agent in a list: with when and where it was last seen. */
const AgentEntry = Agent.extend(seen);
export type AgentEntry = z.infer<typeof AgentEntry>;

export const ListAgents = z.strictObject({
  all: z.boolean().default(false).describe("Also those of sessions not seen for a week."),
});
export type ListAgents = z.infer<typeof ListAgents>;

export const FindAgents = z.strictObject({
  status: Presence.optional().describe("Active, idle or offline."),
  project: z.string().max(400).optional().describe("Works in this folder, or below it."),
  name: z.string().max(100).optional().describe("Has this in its name."),
});
export type FindAgents = z.infer<typeof FindAgents>;

/** What `agent_list` gives, and `ui://agents` holds. */
export const PeopleList = z.object({ people: z.array(z.object({ name: Name })) });
export type PeopleList = z.infer<typeof PeopleList>;

export const AgentList = z.object({ agents: z.array(AgentEntry) });

const Parts = z.array(z.string().max(40)).max(20);
export const GlanceAt = z.strictObject({
  parts: Parts.optional().describe("Left out: all there are."),
  full: Parts.default([]).describe("Those of which a page shows all there is."),
});
export type GlanceAt = z.infer<typeof GlanceAt>;
export const Glance = z.object({ parts: z.record(z.string(), z.unknown()) });

const ClientSessionId = z.string().regex(/^[\x21-\x7e]{1,200}$/, "a session is 1 to 200 printable characters");
const line = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
    .regex(/^[^\u0000-\u001f\u007f]*$/, "it is one line");
const project = line(400).optional();
const branch = line(200).optional();
const client = line(60).optional();

export const EnsureAgent = z.strictObject({
  client_session_id: ClientSessionId.describe("What the agent's own program calls its session."),
  name: Name.optional().describe("How to call a new one; made of project and branch if left out."),
  suggested_name: line(200)
    .optional()
    .describe("What to make its name of instead; a number is added where it is taken."),
  adopt: z.boolean().default(false).describe("A new session goes on as an agent that was there before."),
  project: project.describe("The folder it works in."),
  branch,
  client: client.describe("Its program, such as claude-code."),
});
export type EnsureAgent = z.infer<typeof EnsureAgent>;

export const EnsuredAgent = z.object({
  agent: Name,
  client_session_id: z.string(),
  created: z.boolean().describe("Whether the agent is new."),
  token: z.string().describe("The agent's own. Those made for it before work no more."),
});
export type EnsuredAgent = z.infer<typeof EnsuredAgent>;

export const Beat = z.strictObject({ project, branch, client });
export type Beat = z.infer<typeof Beat>;
export const Beaten = z.object({ agent: Name, ...seen, last_seen_at: Time });

/** Null for a token that was made for no session. */
export const Left = z.object({ agent: Name, left_at: Time.nullable() });

export const AgentSession = z.object({
  client_session_id: z.string(),
  agent: Name,
  client: z.string().nullable(),
  project: z.string().nullable(),
  branch: z.string().nullable(),
  created_at: Time,
  last_seen_at: Time,
});
export type AgentSession = z.infer<typeof AgentSession>;
export const AgentSessionList = z.object({ sessions: z.array(AgentSession) });

export const DeletedAgent = z.object({ name: Name, deleted_at: Time });

export const Token = z.object({
  id: z.string(),
  principal: PrincipalName,
  subscriber: z.string().describe("Whose read marks it moves. It stays the same when the token is rotated."),
  kind: z.enum(["human", "agent", "service"]),
  grants: z.array(z.object({ space: z.string(), role: Role })),
  created_at: Time,
  revoked_at: Time.nullable(),
  label: z
    .string()
    .nullable()
    .describe("What it is for: `browser` for one that a browser got by signing in, `session` for an agent's session."),
  expires_at: Time.nullable().describe("Null for one that works until it is revoked."),
  made_by: z.string().nullable().describe("The token that made it, and with which it falls. Null for the hub's own."),
  created_by: Name.nullable().describe("Whose that was."),
  current: z.boolean().describe("Whether it is the one you are using."),
});
export type Token = z.infer<typeof Token>;

const Code = z.object({
  id: z.string(),
  principal: Name.describe("Who is to sign in by it."),
  made_by: z.string().nullable().describe("The token that made it, and with which it falls."),
  created_by: Name.nullable().describe("Whose that was."),
  created_at: Time,
  expires_at: Time,
  token: z.string().nullable().describe("The browser's session that it was exchanged for."),
});

export const TokenList = z.object({
  tokens: z.array(Token),
  codes: z.array(Code).describe("By which a browser may sign in, or has signed in just now."),
});
export type TokenList = z.infer<typeof TokenList>;

const fallen = {
  also_revoked: z.int().describe("How many tokens ended with it: those it had made, and those they had made."),
  codes_ended: z.int().describe("How many codes to sign in ended with it."),
};

export const RevokedToken = z.object({ id: z.string(), revoked_at: Time, ...fallen });
export type RevokedToken = z.infer<typeof RevokedToken>;

export const NewToken = z.object({
  token: z.string().describe("The secret. It is shown this once and stored nowhere."),
  id: z.string(),
  principal: PrincipalName,
  space: z.string(),
});
export type NewToken = z.infer<typeof NewToken>;

export const RotatedToken = NewToken.extend(fallen);
export type RotatedToken = z.infer<typeof RotatedToken>;

export const CreateToken = z.strictObject({
  role: Role.describe("What its holder may do."),
  name: Name.describe("Whose token it is. A new name makes a new principal."),
  space: SpaceId.optional().describe("Where; the caller's own space if left out."),
  label: z
    .string()
    .trim()
    .min(1)
    .max(100)
    // What browsers and sessions get is found by these words.
    .refine((label) => !["browser", "session"].includes(label), "is a word that the hub itself uses")
    .optional()
    .describe("What it is for, as token_list will say."),
  exact: z.boolean().optional().describe("Good for this role in this space alone, whatever else its holder may."),
});
export type CreateToken = z.infer<typeof CreateToken>;

export const CreateLogin = z.strictObject({
  name: Name.optional().describe("Who is to sign in; you yourself if left out. Only admin may name somebody else."),
});
export type CreateLogin = z.infer<typeof CreateLogin>;

export const LoginCode = z.object({
  code: z.string().describe("The secret. It belongs into the fragment of the hub's address: /#code=CODE."),
  principal: Name,
  expires_at: Time,
});
export type LoginCode = z.infer<typeof LoginCode>;

export const Space = z.object({
  space: z.string(),
  session_id: z.string().describe("The same, by the name the protocol's header has for it."),
  created_at: Time,
  expires_at: Time.nullable(),
});
export type Space = z.infer<typeof Space>;

export const CreateSpace = z.strictObject({
  id: SpaceId.optional().describe("A new one is made up if left out."),
  session_id: SpaceId.optional().describe("The same as id."),
  ttl_seconds: z
    .int()
    .min(1)
    .max(366 * 24 * 3600)
    .default(24 * 3600)
    .describe("How long it lives from now on, a day if left out."),
});
export type CreateSpace = z.infer<typeof CreateSpace>;

const OfArchive = z.strictObject({ id: SpaceId.describe("As space_open gave it.") });
export const OpenSpace = z.strictObject({
  header: z
    .strictObject({
      parley_archive: z.literal(1),
      space: SpaceId,
      created_at: Time,
      ended_at: Time,
      schema_version: z.int().min(1),
      last_id: z.int().min(0),
      default_inbox_id: z.int().min(0),
    })
    .describe("The first line of the archive."),
});
export type OpenSpace = z.infer<typeof OpenSpace>;
export const FillSpace = OfArchive.extend({
  rows: z.string().describe("Lines of the archive as they are there, as a gzip in base64."),
});
export type FillSpace = z.infer<typeof FillSpace>;
export const Filled = z.object({ rows: z.int() });
export const FinishSpace = OfArchive.extend({
  rows: z.int().min(0).describe("How many rows of tables it has."),
  ttl_seconds: CreateSpace.shape.ttl_seconds,
});
export type FinishSpace = z.infer<typeof FinishSpace>;

export const Whoami = z.object({
  principal: PrincipalName,
  kind: z.enum(["human", "agent", "service"]),
  roles: z.array(Role),
  space: z.string(),
  agent: Name.nullable().describe("The agent this credential is, in this space."),
});

export type Whoami = z.infer<typeof Whoami>;

export const TokenId = z.strictObject({ id: z.string().max(100).describe("The token's id, as token_list shows it.") });
export const RotateToken = TokenId.extend({
  revoke_made: z.boolean().default(false).describe("Whether what the old secret made ends too."),
});
export type RotateToken = z.infer<typeof RotateToken>;
export const SpaceRef = z.strictObject({ id: SpaceId });
export const AgentRef = z.strictObject({ name: Name });
export const RegisterAgent = z.strictObject({
  name: Name,
  type: AgentType.default("local").describe("local and ui agents can be written to; a bridge only relays."),
});
export const ReportStatus = z.strictObject({
  lifecycle: Lifecycle.optional(),
  run_phase: RunPhase.optional().describe("What the agent is doing just now."),
});
