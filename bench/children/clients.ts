/** Holds streams open: bare ones, those of clients of the library, or one client's with many subscriptions. */
import { type IncomingMessage, request } from "node:http";
import { type Client, createClient, createSubscriptionManager } from "../../src/client/index.ts";
import { nodeTransport } from "../../src/client/node.ts";
import { answerBench } from "./answering.ts";

export interface Opening {
  url: string;
  tokens: string[];
  /** One for each stream or subscription. */
  uris: string[];
}

const AT_ONCE = 50;
let closings: (() => void)[] = [];
let heard = 0;

/** What a program does that has read the specification and nothing more. */
function bare({ url, tokens }: Opening, uri: string, at: number): Promise<void> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "bare", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { notifications: { resourceSubscriptions: [uri] }, _meta };
  const headers = {
    authorization: `Bearer ${tokens[at % tokens.length]}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "subscriptions/listen",
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/mcp`, { method: "POST", headers, agent: false }, (response: IncomingMessage) => {
      response.setEncoding("utf8");
      response.on("data", (text: string) => {
        heard += text.length;
        resolve();
      });
      response.on("error", () => undefined);
    });
    sent.on("error", reject);
    sent.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params }));
    closings.push(() => sent.destroy());
  });
}

async function subscribed(client: Client, uri: string): Promise<void> {
  await createSubscriptionManager(client).subscribe(uri, (data) => {
    if (data.error) throw new Error(data.message);
    heard += data.length;
  });
}

/** A client with one subscription, as a program has it. */
async function ofLibrary({ url, tokens }: Opening, uri: string, at: number): Promise<void> {
  const client = createClient({ transport: nodeTransport(url), token: tokens[at % tokens.length] });
  closings.push(() => client[Symbol.dispose]());
  await subscribed(client, uri);
}

async function each(opening: Opening, open: (uri: string, at: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < opening.uris.length; from += AT_ONCE)
    await Promise.all(opening.uris.slice(from, from + AT_ONCE).map((uri, at) => open(uri, from + at)));
}

answerBench(
  {},
  {
    bare: (opening: Opening) => each(opening, (uri, at) => bare(opening, uri, at)),
    library: (opening: Opening) => each(opening, (uri, at) => ofLibrary(opening, uri, at)),
    one_client: async (opening: Opening) => {
      const client = createClient({ transport: nodeTransport(opening.url), token: opening.tokens[0] });
      closings.push(() => client[Symbol.dispose]());
      const manager = createSubscriptionManager(client);
      await each(opening, async (uri) => {
        await manager.subscribe(uri, (data) => {
          if (!data.error) heard += data.length;
        });
      });
    },
    close: () => {
      for (const close of closings) close();
      closings = [];
      return heard;
    },
  },
);
