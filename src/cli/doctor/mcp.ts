/** A round trip in each era of MCP, as an agent's client would make it. */
import { isObject } from "../../client/errors.ts";
import { EventParser } from "../../client/sse.ts";
import type { HttpRequest, HttpResponse } from "../../client/transport.ts";
import { type Target, textOf, transportTo } from "../core/client.ts";
import { reasonOf } from "../core/failure.ts";
import { jsonIn } from "../core/io.ts";
import { type Check, fail, pass, VERSION } from "./check.ts";

const PATIENCE_MS = 10_000;
const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";
const ADVICE = "Look at hub.log, and at what stands between you and the hub: a proxy has to let /mcp through.";

export async function roundTrips(target: Target): Promise<Check[]> {
  return [await tried(`MCP ${MODERN}`, () => modern(target)), await tried(`MCP ${LEGACY}`, () => legacy(target))];
}

async function tried(name: string, work: () => Promise<number>): Promise<Check> {
  try {
    return pass(name, `${await work()} tools.`);
  } catch (error) {
    return fail(name, `No round trip: ${reasonOf(error)}.`, ADVICE);
  }
}

async function modern(target: Target): Promise<number> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": { name: "parley doctor", version: VERSION },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const headers = (method: string) => ({ "mcp-protocol-version": MODERN, "mcp-method": method });
  await rpc(target, { method: "server/discover", params: { _meta } }, headers("server/discover"));
  const { result } = await rpc(target, { method: "tools/list", params: { _meta } }, headers("tools/list"));
  return count(result);
}

async function legacy(target: Target): Promise<number> {
  const clientInfo = { name: "parley doctor", version: VERSION };
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo };
  const { session } = await rpc(target, { method: "initialize", params }, {});
  if (!session) throw new Error("it opened no session");
  const headers = { "mcp-session-id": session, "mcp-protocol-version": LEGACY };
  try {
    const { result } = await rpc(target, { method: "tools/list", params: {} }, headers);
    return count(result);
  } finally {
    await send(target, { method: "DELETE", headers });
  }
}

function count(result: unknown): number {
  if (isObject(result) && Array.isArray(result.tools)) return result.tools.length;
  throw new Error("it lists no tools");
}

async function rpc(target: Target, message: object, headers: Record<string, string>) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...message });
  const response = await send(target, { method: "POST", headers, body });
  const answer = await messageOf(response);
  if (!isObject(answer) || !("result" in answer))
    throw new Error(`HTTP ${response.status}${isObject(answer) ? ` ${JSON.stringify(answer.error)}` : ""}`);
  return { result: answer.result, session: response.session };
}

function send(target: Target, request: Omit<HttpRequest, "path">): Promise<HttpResponse> {
  const headers = {
    authorization: `Bearer ${target.token}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    ...(target.space && { "x-session-id": target.space }),
    ...request.headers,
  };
  return transportTo(target, PATIENCE_MS)({ ...request, path: "/mcp", headers });
}

/** The one message of an answer, or the last of a stream. */
async function messageOf(response: HttpResponse): Promise<unknown> {
  const text = await textOf(response);
  if (!response.type.startsWith("text/event-stream")) return jsonIn(text);
  let last = "";
  const parser = new EventParser(({ data }) => {
    last = data;
  });
  parser.push(text);
  return jsonIn(last);
}
