/** The requests of the bench as bytes. Both sides of a comparison get the same ones. */
export interface Target {
  port: number;
  token: string;
}

/** About as long as people's messages are. */
export const CONTENT =
  "The build is green again: the flaky test waited for a clock. Could you look at the second commit before I merge it?";

function post(path: string, { port, token }: Target, body: object, headers: Record<string, string> = {}): Buffer {
  const text = JSON.stringify(body);
  return request(
    "POST",
    path,
    { port, token },
    { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)), ...headers },
    text,
  );
}

export function get(path: string, target: Target): Buffer {
  return request("GET", path, target, { accept: "text/event-stream" });
}

export const chatPost = (target: Target): Buffer => callOf("chat_human_post", target, { content: CONTENT });

/** A tool's call over plain HTTP. */
export const callOf = (tool: string, target: Target, args: object): Buffer => post(`/api/tools/${tool}`, target, args);

const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";
const BOTH = { accept: "application/json, text/event-stream" };
const META = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

interface Rpc {
  id: number | string;
  method: string;
  params: Record<string, unknown>;
}

export function modernRpc(target: Target, { id, method, params }: Rpc): Buffer {
  const name = typeof params.name === "string" ? { "mcp-name": params.name } : {};
  const headers = { ...BOTH, "mcp-protocol-version": MODERN, "mcp-method": method, ...name };
  return post("/mcp", target, { jsonrpc: "2.0", id, method, params: { ...params, _meta: META } }, headers);
}

export function legacyRpc(target: Target, rpc: Rpc | Omit<Rpc, "id">, session: string | undefined): Buffer {
  const headers = session ? { "mcp-protocol-version": LEGACY, "mcp-session-id": session } : {};
  return post("/mcp", target, { jsonrpc: "2.0", ...rpc }, { ...BOTH, ...headers });
}

function request(
  method: string,
  path: string,
  { port, token }: Target,
  headers: Record<string, string>,
  body = "",
): Buffer {
  const all = { host: `127.0.0.1:${port}`, authorization: `Bearer ${token}`, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, "", body].join("\r\n"));
}
