import { Server } from "./support/child.ts";
import { Load } from "./support/load.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Figure, Scenario } from "./support/scenario.ts";
import { StdioClient } from "./support/stdio.ts";
import { CONTENT, modernRpc } from "./support/wire.ts";

const AT_ONCE = 64;
const SIZES = {
  full: { mails: 15_000, sends: 600, lists: 200, rounds: 11 },
  moment: { mails: 100, sends: 64, lists: 64, rounds: 0 },
};

const bounds = { cpu: { on: "ratio", at_most: 1 } } as const;

const LETTER = { subject: "The build", body: CONTENT };
/** What agent-inbox is compared with: both sides durable, and for information its default, which forgets at its end. */
const STORAGES = { sqlite: bounds.cpu, memory: null };

export const scenario: Scenario = {
  name: "mail-peer",
  measures:
    "Mail over MCP with 64 calls under way and 15,000 mails in the mailbox: the server's CPU a call, against agent-inbox 0.2.3 from npm on its standard streams",
  bounds,
  async run(effort) {
    const { mails, sends, lists, rounds } = SIZES[effort];
    await using hub = await Server.start("hub");
    const ana = await hub.ask<string>("token", { role: "human", name: "ana" });
    const heron = await hub.ask<string>("token", { role: "agent", name: "heron" });
    const call = (token: string, name: string, args: object): Load => {
      const rpc = { id: 1, method: "tools/call", params: { name, arguments: args } };
      return new Load(hub, Array(AT_ONCE).fill(modernRpc({ port: hub.port, token }, rpc)));
    };
    const send = call(ana, "mail_send", { to: ["heron"], ...LETTER });
    const list = call(heron, "mail_inbox", { limit: 20 });
    await send.cpu(mails);
    const figures: Figure[] = [];
    for (const [storage, bound] of Object.entries(STORAGES)) {
      await using peer = await StdioClient.open("agent-inbox", { BENCH_STORAGE: storage });
      const letter = { to: ["heron"], from: "ana", ...LETTER };
      const theirs = (tool: string, args: object, count: number) => peer.cpu(tool, args, { count, at_once: AT_ONCE });
      await theirs("send_message", letter, mails);
      const sending = await interleaved(
        rounds,
        () => send.cpu(sends),
        () => theirs("send_message", letter, sends),
      );
      const listing = await interleaved(
        rounds,
        () => list.cpu(lists),
        () => theirs("check_inbox", { agentId: "heron", unreadOnly: false, limit: 20 }, lists),
      );
      figures.push(
        figure(`a send, theirs in ${storage}`, sending, { unit: "µs", bound }),
        figure(`an inbox page of 20, theirs in ${storage}`, listing, { unit: "µs", bound }),
      );
    }
    return figures;
  },
};
