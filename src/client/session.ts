/**
 * Binds an official MCP client to one session, for orchestrators that hand it to an agent: every request carries
 * `X-Session-ID`, and none that tries to choose another one is sent. The agent knows no session and cannot name one.
 */

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** What a transport is made with, so that it is bound. */
export interface Bound {
  fetch: Fetch;
}

interface Connecting {
  connect(transport: never, ...rest: never[]): Promise<void>;
}

/** The client, connected only by a transport that was made with what binds it: `connect((bound) => new Transport(url, bound))`. */
export type InSession<C extends Connecting> = Omit<C, "connect"> & {
  connect(make: (bound: Bound) => Parameters<C["connect"]>[0]): Promise<void>;
};

/** A request that was not sent, since it tried to choose a session. */
export class SessionRefused extends Error {
  override readonly name = "SessionRefused";
  readonly code = "FORBIDDEN";
}

const HEADER = "x-session-id";
/** Tools that make spaces, end them or open them. */
const ABOUT_SPACES: readonly unknown[] = [
  ...["create_session", "space_create", "space_delete", "space_open", "space_fill", "space_finish"],
];
/** Behind whatever prefix it may have. */
const NAMES = ["session", "sessionid", "xsessionid", "space", "spaceid"];
/** As the hub makes ids of spaces, and as others choose them. */
const IDS = /sess_[A-Za-z0-9_-]{1,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** For clients of either SDK and every transport that takes a `fetch`. The client itself is changed and given back. */
export function withSession<C extends Connecting>(client: C, session_id: string, send: Fetch = fetch): InSession<C> {
  let used = false;
  const bound: Bound = {
    fetch: async (url, init) => {
      used = true;
      refuseBody(init?.body, session_id);
      const headers = new Headers(init?.headers);
      headers.set(HEADER, session_id);
      return send(url, { ...init, headers });
    },
  };
  const connect = client.connect.bind(client);
  const connectBound: InSession<C>["connect"] = async (make) => {
    await connect(make(bound) as never);
    if (!used) throw new SessionRefused("The transport was not made with the `fetch` that binds it to its session.");
  };
  return Object.assign(client, { connect: connectBound });
}

function refuseBody(body: unknown, session_id: string): void {
  if (body === undefined || body === null) return;
  // A client of JSON-RPC sends text; what else there is cannot be looked at, and is not sent.
  if (typeof body !== "string") throw new SessionRefused("Only JSON is sent in a session.");
  const messages: unknown = JSON.parse(body);
  for (const message of Array.isArray(messages) ? messages : [messages]) {
    const where = choosesSession(message, session_id);
    if (where !== undefined) throw refused(where);
  }
}

const refused = (where: string): SessionRefused => new SessionRefused(sentenceOf(where));

export const sentenceOf = (where: string): string =>
  `This connection is bound to one session, which nothing in a request can change: ${where}.`;

/** Where a message tries to choose another session than its own, such as `arguments.session_id`; undefined where it does not. */
export function choosesSession(message: unknown, session_id: string): string | undefined {
  const { method, params } = recordOf(message);
  const { arguments: args, _meta, notifications, name, uri } = recordOf(params);
  if (method === "tools/call" && ABOUT_SPACES.includes(name)) return String(name);
  const scratchpad = recordOf(notifications)["parley/scratchpad"];
  for (const [where, value] of Object.entries({ params, arguments: args, _meta, notifications, scratchpad })) {
    const field = Object.entries(recordOf(value)).find(([name, value]) => isName(name) && value !== session_id);
    if (field) return `${where}.${field[0].slice(0, 60)}`;
  }
  const { resourceSubscriptions } = recordOf(notifications);
  const uris = [uri, ...(Array.isArray(resourceSubscriptions) ? resourceSubscriptions : [])];
  const other = uris.find((uri) => typeof uri === "string" && (hasOther(uri, session_id) || hasQuery(uri, session_id)));
  return other === undefined ? undefined : String(other).slice(0, 100);
}

const recordOf = (value: unknown): Record<string, unknown> =>
  // What else it is has no fields.
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

/** However it is written: `X-Session-ID`, `parley/space`. */
const isName = (name: string): boolean =>
  NAMES.includes((name.split("/").at(-1) ?? "").toLowerCase().replace(/[^a-z]/g, ""));

const hasOther = (uri: string, session_id: string): boolean =>
  (decoded(uri).match(IDS) ?? []).some((id) => id.toLowerCase() !== session_id.toLowerCase());

const hasQuery = (uri: string, session_id: string): boolean =>
  [...new URLSearchParams(uri.split("?")[1] ?? "")].some(([name, value]) => isName(name) && value !== session_id);

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    // It is no URI that the hub would understand.
    return uri;
  }
}
