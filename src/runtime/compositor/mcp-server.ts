/** A server of either era, by the official client: a program that is started, or an address. */
import { createHash, randomBytes } from "node:crypto";
import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type ToolAnnotations,
  type Transport,
} from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { z } from "zod";
import { killAll } from "../../local/killing.ts";
import { type Mask, maskOf, secretsIn } from "../../local/secrets.ts";
import { VERSION } from "../../version.ts";
import type { ToolHint } from "../toolset.ts";
import { ask, discreet, discreetIn } from "./asking.ts";
import { boundedFetch } from "./bounded.ts";
import type { ServerSpec } from "./config.ts";
import { McpResources } from "./mcp-resources.ts";
import { resultOf } from "./results.ts";
import { MOUNT_COOKIE, type MountSpec, type RemoteTool, type Server, type ServerEvents } from "./server.ts";

const HINTS: readonly ToolHint[] = ["read_only", "destructive", "open_world"];
const CONNECT_MS = 20_000;
/** A program that says nothing to what it does not know is one of the older era. */
const PROBE_MS = 5000;
const CALL_MS = 120_000;
/** Of what a program complains about, so much is remembered. */
const MOST_COMPLAINT = 300;
/** More than that, so that no secret in it is cut through before it is taken out. */
const MOST_HEARD = 4000;

const Updated = z.looseObject({ uri: z.string().max(2000) });

/** With `mark` its processes carry that, by which also those are found and ended that it leaves behind. */
export const mcpMount = (name: string, spec: ServerSpec, mark?: string): MountSpec => ({
  fingerprint: createHash("sha256").update(JSON.stringify(spec)).digest("hex"),
  open: (events, signal) => connect({ name, spec, events, signal, mark }),
});

interface Opening {
  name: string;
  spec: ServerSpec;
  events: ServerEvents;
  signal: AbortSignal;
  mark: string | undefined;
}

async function connect({ name, spec, events: told, signal, mark }: Opening): Promise<Server> {
  const mask = maskOf(confidedTo(spec));
  const events = { ...told, closed: (why: string) => told.closed(mask(why)) };
  const { transport, complaint, sweep } = transportOf(spec, { mark, exceeded: events.closed });
  const lastWords = (): string => mask(complaint()).slice(-MOST_COMPLAINT);
  const changed = { autoRefresh: false, onChanged: () => events.toolsChanged() };
  const client = new Client(
    { name: "parley", version: VERSION },
    { versionNegotiation: { mode: "auto", probe: { timeoutMs: PROBE_MS } }, listChanged: { tools: changed } },
  );
  client.setNotificationHandler("notifications/resources/updated", { params: Updated }, ({ uri }) =>
    events.updated(uri),
  );
  try {
    await client.connect(transport, { timeout: CONNECT_MS, signal });
  } catch (error) {
    await client.close();
    await sweep();
    throw new Error(withComplaint(mask(error instanceof Error ? error.message : String(error)), lastWords()), {
      cause: error,
    });
  }
  let is_closing = false;
  client.onclose = () => {
    if (!is_closing) events.closed(withComplaint("It ended by itself.", lastWords()));
  };
  const asking = { name, client, timeout: spec.timeout ?? CALL_MS, events, mask };
  return {
    list: () => listTools(client, { signal, mask }),
    call: (tool, args, called) =>
      ask(asking, called, async (limits) =>
        resultOf(name, await client.callTool({ name: tool, arguments: args }, limits)),
      ),
    resources: client.getServerCapabilities()?.resources ? new McpResources(asking) : undefined,
    close: async () => {
      is_closing = true;
      await client.close();
      await sweep();
    },
  };
}

interface Line {
  transport: Transport;
  /** The last that the program said on its standard error. */
  complaint: () => string;
  /** Ends what it has started and left behind. */
  sweep: () => Promise<unknown>;
}

interface LineOptions {
  mark: string | undefined;
  /** It says more than anybody reads. */
  exceeded: (why: string) => void;
}

function transportOf(spec: ServerSpec, { mark, exceeded }: LineOptions): Line {
  if ("command" in spec) return programLine(spec, mark);
  const headers = { ...spec.headers, ...(spec.auth !== undefined && { authorization: `Bearer ${spec.auth}` }) };
  const options = { requestInit: { headers }, fetch: boundedFetch(exceeded) };
  const url = new URL(spec.url);
  const Line = spec.type === "sse" ? SSEClientTransport : StreamableHTTPClientTransport;
  return { transport: new Line(url, options), complaint: () => "", sweep: async () => {} };
}

/** Its environment is what every program has and what its entry says: none of our secrets. */
function programLine(
  { command, args, env, cwd }: Extract<ServerSpec, { command: string }>,
  mark: string | undefined,
): Line {
  const where = cwd === undefined ? {} : { cwd };
  const cookie = mark === undefined ? undefined : `${mark}.${randomBytes(9).toString("base64url")}`;
  const all = { ...getDefaultEnvironment(), ...env, ...(cookie !== undefined && { [MOUNT_COOKIE]: cookie }) };
  const transport = new StdioClientTransport({ command, args, env: all, stderr: "pipe", ...where });
  let complaints = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    complaints = `${complaints}${chunk.toString()}`.slice(-MOST_HEARD);
  });
  const sweep = async () => cookie !== undefined && (await killAll({ cookie, variable: MOUNT_COOKIE }));
  return { transport, complaint: () => complaints.trim(), sweep };
}

const withComplaint = (why: string, complaint: string): string => (complaint ? `${why} It said: ${complaint}` : why);

/** What its entry says for it alone. */
function confidedTo(spec: ServerSpec): string[] {
  if ("command" in spec) return secretsIn(spec.env);
  return [...secretsIn(spec.headers), ...(spec.auth === undefined ? [] : [spec.auth])];
}

async function listTools(client: Client, { signal, mask }: { signal: AbortSignal; mask: Mask }): Promise<RemoteTool[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const asked = client.listTools(undefined, { signal, timeout: CONNECT_MS, cacheMode: "refresh" });
  const { tools } = await asked.catch((error: unknown) => {
    throw discreet(error, mask);
  });
  return tools.map(({ name, description = "", inputSchema, annotations }) => ({
    ...{ name, description: mask(description), input_schema: discreetIn(inputSchema, mask) },
    hints: hintsOf(annotations),
  }));
}

function hintsOf({ readOnlyHint, destructiveHint, openWorldHint }: ToolAnnotations = {}): ToolHint[] {
  const complaints = { read_only: readOnlyHint, destructive: destructiveHint, open_world: openWorldHint };
  return HINTS.filter((hint) => complaints[hint] === true);
}
