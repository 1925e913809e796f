import { Server } from "./support/child.ts";
import { Connection } from "./support/connection.ts";
import { Load } from "./support/load.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Figure, Scenario } from "./support/scenario.ts";
import { CONTENT, LEGACY, legacyRpc, modernRpc, type Target } from "./support/wire.ts";

const CONNECTIONS = 64;
const SIZES = { full: { calls: 1000, rounds: 11 }, moment: { calls: 64, rounds: 0 } };

const bounds = { cpu: { on: "ratio", at_most: 1.3 } } as const;

const call = (name: string, args: object) => ({ id: 1, method: "tools/call", params: { name, arguments: args } });
const POST = call("chat_human_post", { content: CONTENT });
const READ = call("chat_read_since", { limit: 10 });

/** The request of one client. */
type Client = (target: Target, rpc: typeof POST) => Promise<Buffer> | Buffer;

const ERAS: Record<string, Client> = {
  modern: modernRpc,
  /** Each with a session of its own. */
  legacy: async (target, rpc) => {
    using connection = await Connection.open(target.port);
    const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: "bench", version: "1.0.0" } };
    const { text } = await connection.ask(legacyRpc(target, { id: 0, method: "initialize", params }, undefined));
    const session = /\r\nmcp-session-id: *(\S+)/i.exec(text)?.[1];
    if (!session) throw new Error(`no session was opened: ${text}`);
    await connection.ask(legacyRpc(target, { method: "notifications/initialized", params: {} }, session));
    return legacyRpc(target, rpc, session);
  },
};

export const scenario: Scenario = {
  name: "mcp",
  measures:
    "MCP tools/call on 64 keep-alive connections: the server's CPU a call, against a trivial tool served by the SDK alone",
  bounds,
  async run(effort) {
    const { calls, rounds } = SIZES[effort];
    await using hub = await Server.start("hub");
    await using sdk = await Server.start("sdk");
    const token = await hub.ask<string>("token", { role: "human", name: "ana" });
    const loadOf = async (server: Server, client: Client, rpc: typeof POST): Promise<Load> => {
      const target = { port: server.port, token };
      return new Load(server, await Promise.all(Array.from({ length: CONNECTIONS }, () => client(target, rpc))));
    };
    const figures: Figure[] = [];
    for (const [era, client] of Object.entries(ERAS)) {
      const reference = await loadOf(sdk, client, POST);
      for (const [rpc, bound] of [
        [POST, bounds.cpu],
        [READ, null],
      ] as const) {
        const ours = await loadOf(hub, client, rpc);
        const pairs = await interleaved(
          rounds,
          () => ours.cpu(calls),
          () => reference.cpu(calls),
        );
        figures.push(figure(`${era}, ${rpc.params.name}`, pairs, { unit: "µs", bound }));
      }
    }
    return figures;
  },
};
