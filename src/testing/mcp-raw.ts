/** MCP over HTTP by hand, for what the official clients never do. */
import { type ClientRequest, createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { Guard } from "../http/guard.ts";
import type { Hub } from "../hub.ts";
import { type DoorOptions, mcpDoor } from "../mcp/index.ts";
import type { Facet } from "../tool.ts";
import { until } from "./process.ts";

export interface Rpc {
  id?: string | number;
  method: string;
  params?: Record<string, unknown>;
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it asserts
type Json = any;

export interface RawAnswer {
  status: number;
  headers: IncomingMessage["headers"];
  body: Json;
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
};

/** Body and headers of a request of the 2026-07-28 era. */
export function modern(
  { id = 1, method, params }: Rpc,
  capabilities: object = {},
): { body: string; headers: Record<string, string> } {
  const name = params?.name ?? params?.uri ?? params?.taskId;
  const _meta = { ...META, "io.modelcontextprotocol/clientCapabilities": capabilities };
  return {
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta } }),
    headers: {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
    },
  };
}

export const legacy = ({ id, method, params }: Rpc): string =>
  JSON.stringify({ jsonrpc: "2.0", ...(id !== undefined && { id }), method, params });

const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "raw", version: "1" },
};

/** One principal's way to the MCP door at `url`. */
export class Raw {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, token: string, space?: string) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${token}`, ...(space && { "x-session-id": space }) };
  }

  modern(rpc: Rpc, path = "/mcp"): Promise<RawAnswer> {
    return this.send("POST", path, modern(rpc));
  }

  call(name: string, args: Record<string, unknown> = {}): Promise<RawAnswer> {
    return this.modern({ method: "tools/call", params: { name, arguments: args } });
  }

  /** The id of a new session of the older era. */
  async session(path = "/mcp"): Promise<string> {
    const body = legacy({ id: 0, method: "initialize", params: INITIALIZE });
    const { headers, body: answer } = await this.send("POST", path, { body });
    const id = headers["mcp-session-id"];
    if (typeof id !== "string") throw new Error(`no session: ${JSON.stringify(answer)}`);
    return id;
  }

  legacy(session: string, rpc: Rpc, path = "/mcp"): Promise<RawAnswer> {
    return this.send("POST", path, { body: legacy(rpc), headers: { "mcp-session-id": session } });
  }

  async send(
    method: string,
    path: string,
    { body, headers }: { body?: string; headers?: Record<string, string> } = {},
  ): Promise<RawAnswer> {
    const { response } = await this.#request(method, path, { body, headers });
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) text += chunk;
    const isJson = response.headers["content-type"]?.startsWith("application/json");
    return { status: response.statusCode ?? 0, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  /** Sends a request and waits for no answer; disposing of it hangs up. */
  async begin(path: string, { body, headers }: { body: string; headers: Record<string, string> }): Promise<Disposable> {
    const sent = request(this.#url + path, {
      method: "POST",
      agent: false,
      headers: { "content-type": "application/json", accept: "application/json", ...this.#headers, ...headers },
    });
    sent.on("error", () => {});
    await new Promise<void>((resolve) => sent.end(body, resolve));
    return { [Symbol.dispose]: () => void sent.destroy() };
  }

  async listen(uris: string[], id: string | number = 7): Promise<RawStream> {
    const rpc = { id, method: "subscriptions/listen", params: { notifications: { resourceSubscriptions: uris } } };
    return this.stream("POST", "/mcp", modern(rpc));
  }

  async stream(
    method: string,
    path: string,
    options: { body?: string; headers?: Record<string, string> } = {},
  ): Promise<RawStream> {
    const { sent, response } = await this.#request(method, path, options);
    return new RawStream(sent, response);
  }

  #request(
    method: string,
    path: string,
    { body, headers }: { body?: string | undefined; headers?: Record<string, string> | undefined },
  ): Promise<{ sent: ClientRequest; response: IncomingMessage }> {
    return new Promise((resolve, reject) => {
      const sent = request(this.#url + path, {
        method,
        agent: false,
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
          ...this.#headers,
          ...headers,
        },
      });
      sent.on("response", (response) => resolve({ sent, response }));
      sent.on("error", reject);
      sent.end(body);
    });
  }
}

/** An event stream, read as it comes. `pause` leaves it to the hub to cope with a reader that does not read. */
export class RawStream implements Disposable {
  readonly status: number;
  readonly messages: Json[] = [];
  /** The ids of events that had one. */
  readonly ids: string[] = [];
  ended = false;
  comments = 0;
  readonly #sent: ClientRequest;
  readonly #response: IncomingMessage;
  #rest = "";
  #text = "";

  constructor(sent: ClientRequest, response: IncomingMessage) {
    this.#sent = sent;
    this.#response = response;
    this.status = response.statusCode ?? 0;
    response.setEncoding("utf8").on("data", (text: string) => this.#take(text));
    // An ending without a goodbye is an error to Node and an ending to us.
    response.on("error", () => {});
    sent.on("error", () => {});
    response.on("close", () => {
      this.ended = true;
    });
  }

  get isStream(): boolean {
    return this.#response.headers["content-type"] === "text/event-stream";
  }

  /** All of it as it came, once it is over. */
  async text(): Promise<string> {
    await until(() => this.ended);
    return this.#text;
  }

  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  /** The messages once there are that many. */
  async first(count: number): Promise<Json[]> {
    await until(() => this.messages.length >= count);
    return this.messages.slice(0, count);
  }

  /** Everything, once it is over. */
  async all(): Promise<Json[]> {
    await until(() => this.ended);
    return this.messages;
  }

  [Symbol.dispose](): void {
    this.#sent.destroy();
  }

  #take(text: string): void {
    this.#text += text;
    const events = (this.#rest + text).split("\n\n");
    this.#rest = events.pop() ?? "";
    for (const event of events) {
      if (event.startsWith(":")) this.comments += 1;
      const id = /^id: (.*)$/m.exec(event)?.[1];
      if (id !== undefined) this.ids.push(id);
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data !== undefined) this.messages.push(data.startsWith("{") ? JSON.parse(data) : data);
    }
  }
}

/** A second MCP door to the same hub, with limits small enough to reach. */
export async function openDoor(
  hub: Hub,
  limits: DoorOptions["limits"],
): Promise<{ url: string; cut: () => void } & AsyncDisposable> {
  const door = mcpDoor(hub, limits && { limits });
  const server = createServer(async (incoming, response) => {
    const { token, space_id } = new Guard({ host: "127.0.0.1", allowed_hosts: [] }, 0, "").credential(incoming);
    const actor = await hub.credentials.authenticate({ token, space_id, caller_agent: undefined });
    const body = incoming.method === "POST" ? JSON.parse(await textOf(incoming)) : undefined;
    const [path = "", facet] = (incoming.url ?? "").split("?")[0]?.split("/").slice(1) ?? [];
    if (path === "sse") await door.handleSse(incoming, response, actor, undefined);
    else if (path === "messages") await door.handleMessages(incoming, response, actor, body);
    // The caller of this helper names facets that exist.
    else await door.handle(incoming, response, actor, facet ? [facet as Facet] : undefined, body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    // A server that listens on a port has an address with one.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Whoever is connected has to connect again. */
    cut: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      await door[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of incoming.setEncoding("utf8")) text += chunk;
  return text;
}
