import type { Opening } from "./children/clients.ts";
import { Child, Server } from "./support/child.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";

const SIZES = { full: { subscriptions: 1000, rounds: 5 }, moment: { subscriptions: 40, rounds: 0 } };
/** One principal may not hold so many streams alone. */
const READERS = ["ana", "ben", "cleo", "dora"];

const bounds = {
  client: { on: "difference", at_most: 10 },
  subscription: { on: "ours", at_most: 10 },
} as const;

type How = "bare" | "library" | "one_client";

export const scenario: Scenario = {
  name: "client",
  measures:
    "Heap of 1,000 subscriptions in one process: a client of the library each, against a bare reader of the same stream; and all of them on one client",
  bounds,
  async run(effort) {
    const { subscriptions, rounds } = SIZES[effort];
    await using hub = await Server.start("hub");
    const tokens: string[] = [];
    for (const name of READERS) tokens.push(await hub.ask<string>("token", { role: "human", name }));
    const names = Array.from({ length: subscriptions }, (_, n) => agentOf(n));
    for (const name of names) await hub.ask("token", { role: "agent", name });
    const url = `http://127.0.0.1:${hub.port}`;
    const opening = (uris: string[]): Opening => ({ url, tokens, uris });
    const same = opening(names.map(() => "ui://chat/inbox"));
    const own = opening(names.map((name) => `ui://chat/${name}/inbox`));
    const clients = await interleaved(
      rounds,
      () => heap("library", same),
      () => heap("bare", same),
    );
    const together = await interleaved(
      rounds,
      () => heap("one_client", own),
      () => heap("bare", same),
    );
    return [
      figure("heap a client with one subscription, beyond a bare reader", clients, {
        unit: "KiB",
        bound: bounds.client,
      }),
      figure("heap a subscription of one client", together, { unit: "KiB", bound: bounds.subscription }),
    ];
  },
};

/** KiB that each of them makes the heap of a fresh process larger. */
async function heap(how: How, opening: Opening): Promise<number> {
  await using child = new Child("clients");
  await child.ready;
  // What is loaded and compiled with the first one is not counted.
  await child.ask(how, { ...opening, uris: opening.uris.slice(0, 20) });
  await child.ask("close");
  const before = await child.ask<number>("heap");
  await child.ask(how, opening);
  const after = await child.ask<number>("heap");
  await child.ask("close");
  return (after - before) / 1024 / opening.uris.length;
}

/** Names that do not look alike. */
const agentOf = (n: number): string => `a${[...n.toString(4)].map((digit) => "bcdf"[Number(digit)]).join("")}x`;
