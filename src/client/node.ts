import type { Agent, ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { HttpRequest, Transport } from "./transport.ts";

interface Connecting {
  connect?: (() => Socket) | undefined;
  /** How long nothing may come. */
  idle_ms?: number | undefined;
}

/** By `node:http`: the global `fetch` takes 40 ms to load. */
export function nodeTransport(url: string, { connect, idle_ms }: Connecting = {}): Transport {
  const base = new URL(url);
  // Imported by name, node:http would load every lazy export it has, WebSocket among them.
  const { request } = process.getBuiltinModule(base.protocol === "https:" ? "node:https" : "node:http");
  const agent = agentFor(base.protocol);
  return async ({ path, method, headers, body, signal }: HttpRequest) => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const target = new URL(base.pathname.replace(/\/$/, "") + path, base);
      const by = connect ? { createConnection: connect } : { agent };
      const options = { method, headers, ...by, ...(signal && { signal }), ...(idle_ms && { timeout: idle_ms }) };
      const sent: ClientRequest = request(target, options, resolve);
      if (idle_ms) sent.on("timeout", () => sent.destroy(new Error(`no answer within ${idle_ms / 1000} s`)));
      sent.on("error", reject);
      sent.end(body);
    });
    response.setEncoding("utf8");
    const { statusCode = 0, headers: got } = response;
    return {
      status: statusCode,
      type: got["content-type"] ?? "",
      date: got.date,
      session: got["mcp-session-id"]?.toString(),
      body: (take) => read(response, take),
    };
  };
}

const agents = new Map<string, Agent>();

/**
 * One for all, since each costs two kilobytes. It keeps no connection alive: the hub might close one just when it is
 * used again.
 */
function agentFor(protocol: string): Agent {
  const known = agents.get(protocol);
  if (known) return known;
  const { Agent } = process.getBuiltinModule(protocol === "https:" ? "node:https" : "node:http");
  const agent = new Agent({ keepAlive: false });
  agents.set(protocol, agent);
  return agent;
}

function read(response: IncomingMessage, take: (text: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    response.on("data", (text: string) => {
      try {
        take(text);
      } catch (error) {
        reject(error);
        response.destroy();
      }
    });
    response.on("end", resolve);
    response.on("error", reject);
    // One that is cut emits no end, and not always an error.
    response.on("close", () => reject(Object.assign(new Error("the connection was closed"), { code: "ECONNRESET" })));
  });
}
