import { Server } from "./support/child.ts";
import { Load } from "./support/load.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";
import { CONTENT, callOf, chatPost } from "./support/wire.ts";

const CONNECTIONS = 64;
const SIZES = { full: { requests: 2000, rounds: 15 }, moment: { requests: 100, rounds: 0 } };
const RECIPIENTS = ["amber", "birch", "cedar", "delta", "ember"];

const bounds = { cpu: { on: "ratio", at_most: 2 } } as const;

export const scenario: Scenario = {
  name: "mail-send",
  measures:
    "A mail to five recipients on 64 keep-alive connections: the server's CPU a request, against a chat post to the same hub",
  bounds,
  async run(effort) {
    const { requests, rounds } = SIZES[effort];
    await using hub = await Server.start("hub");
    const token = await hub.ask<string>("token", { role: "human", name: "ana" });
    for (const name of RECIPIENTS) await hub.ask("token", { role: "agent", name });
    const target = { port: hub.port, token };
    const mail = (to: string[]) => callOf("mail_send", target, { to, subject: "The build", body: CONTENT });
    const load = (request: Buffer): Load => new Load(hub, Array(CONNECTIONS).fill(request));
    const posts = load(chatPost(target));
    const five = load(mail(RECIPIENTS));
    const one = load(mail(RECIPIENTS.slice(0, 1)));
    const against = (mails: Load) =>
      interleaved(
        rounds,
        () => mails.cpu(requests),
        () => posts.cpu(requests),
      );
    return [
      figure("CPU a mail to five", await against(five), { unit: "µs", bound: bounds.cpu }),
      figure("CPU a mail to one", await against(one), { unit: "µs", bound: null }),
    ];
  },
};
