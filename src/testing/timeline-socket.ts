import { once } from "node:events";
import { WebSocket } from "ws";
import type { TestHub } from "./hub.ts";

interface SocketMessage {
  event_id: number;
  type: string;
  seq?: number;
  code?: string;
  status?: string;
  turn_id?: string;
  // Each test says what it expects of it.
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it asserts
  [field: string]: any;
}

/** Follows a timeline as a page does, and remembers what it was told. */
export class TimelineClient implements Disposable {
  readonly told: SocketMessage[] = [];
  readonly ws: WebSocket;
  closed: number | undefined;

  static async open(hub: TestHub, token: string, query = "agent=scout"): Promise<TimelineClient> {
    const client = new TimelineClient(hub, token, query);
    await once(client.ws, "open");
    return client;
  }

  private constructor(hub: TestHub, token: string, query: string) {
    const url = `${hub.url.replace("http", "ws")}/ws?${query}`;
    this.ws = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
    this.ws.on("message", (data) => this.told.push(JSON.parse(String(data))));
    this.ws.on("close", (code) => {
      this.closed = code;
    });
  }

  of(type: string): SocketMessage[] {
    return this.told.filter((message) => message.type === type);
  }

  /** What it would show: the last snapshot, with everything that was told since put in its place, unless it is older. */
  shown(told = this.told): { id: string; kind: string; [field: string]: unknown }[] {
    const from = told.findLastIndex(({ type }) => type === "ui_state_snapshot");
    const items = new Map<string, { seq: number; item: { id: string; kind: string } }>();
    for (const { seq = 0, ...message } of told.slice(Math.max(0, from)))
      for (const item of message.state?.items ?? message.items ?? [])
        if (seq >= (items.get(item.id)?.seq ?? 0)) items.set(item.id, { seq, item });
    return [...items.values()].map(({ item }) => item).sort((a, b) => Number(a.id) - Number(b.id));
  }

  /** The turn that it would show: the last that it was told of, whole. */
  run(): object | null | undefined {
    const last = this.told.findLast(({ type }) => type.startsWith("ui_state_"));
    return last?.type === "ui_state_snapshot" ? last.state.run : last?.run;
  }

  say(message: object | string): void {
    this.ws.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  [Symbol.dispose](): void {
    this.ws.terminate();
  }
}

/** Why there is no connection, where it is refused. */
export async function refusalOf(hub: TestHub, token: string, query: string): Promise<[number | undefined, string]> {
  const url = `${hub.url.replace("http", "ws")}/ws?${query}`;
  const ws = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
  const [request, response] = await once(ws, "unexpected-response");
  let body = "";
  for await (const chunk of response) body += chunk;
  request.destroy();
  return [response.statusCode, body];
}
