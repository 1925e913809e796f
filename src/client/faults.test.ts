/** Whatever the network does with hints, answers and connections: in the end the client knows what a fresh read says. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { FATES, type Fate, FaultyTransport } from "../testing/faulty-transport.ts";
import { until } from "../testing/process.ts";
import { propertyRuns } from "../testing/property-runs.ts";
import { onSharedHub } from "../testing/shared-hub.ts";
import { createClient, createSubscriptionManager, followChat, newKey, type ResourceData } from "./index.ts";
import { nodeTransport } from "./node.ts";

const PACE = { first_ms: 1, most_ms: 8 };
const URIS = ["ui://chat/inbox", "ui://chat/messages", "ui://agents", "ui://agent/status"];

type Step = "ana" | "scout" | "report" | "cut" | "pause";
const step = fc.constantFrom<Step>("ana", "ana", "scout", "scout", "report", "cut", "pause");
const fate = fc.constantFrom<Fate>("fine", "fine", ...FATES);

onSharedHub(
  (shared, database) => {
    let spaces = 0;

    test("the final state equals a fresh read, and each message came once, in order", {
      timeout: 180_000,
    }, async () => {
      const property = fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 14 }),
        fc.array(fate, { minLength: 1, maxLength: 30 }),
        fc.constantFrom<"cut" | "ana">("cut", "ana"),
        async (steps, fates, last) => {
          const { hub } = shared;
          spaces += 1;
          const space = `sess_${spaces}`;
          await hub.call(hub.admin, "space_create", { id: space });
          const scout = await hub.token("agent", "scout", space);
          const ana = await hub.token("human", "ana", space);
          const headers = { "x-session-id": space };

          const network = new FaultyTransport(nodeTransport(hub.url));
          let turn = 0;
          // However bad, now and then something gets through.
          const cycle: Fate[] = [...fates, "fine", "fine"];
          network.fate = () => cycle[turn++ % cycle.length] ?? "fine";
          using client = createClient({ transport: network.transport, token: ana, space, pace: PACE });
          const latest = new Map<string, ResourceData>();
          const manager = createSubscriptionManager(client);
          const subscribed = URIS.map((uri) => manager.subscribe(uri, (data) => latest.set(uri, data)));
          const followed: string[][] = [[], []];
          for (const [at, ids] of followed.entries())
            followChat(client, {
              ...(at === 0 ? { after: null } : { newest: 2 }),
              messages: (messages, { reset }) => {
                if (reset) ids.length = 0;
                ids.push(...messages.map(({ id }) => id));
              },
            });

          const act = async (step: Step): Promise<void> => {
            if (step === "cut") network.cut();
            else if (step === "pause") await new Promise((resolve) => setTimeout(resolve, 3));
            else if (step === "report") await hub.call(scout, "agent_report", { run_phase: "sampling" }, headers);
            else if (step === "scout") await hub.call(scout, "chat_assistant_post", { content: "yes" }, headers);
            // Half of what is said goes through the same bad network, and is said once all the same.
            else await client.call("chat_human_post", { content: "hello" }, { key: newKey(), patience_ms: 60_000 });
          };
          for (const step of steps) await act(step);
          // The last hint arrives, or the last connection ends: a hint that is lost for good on a healthy stream nobody can see.
          network.fate = () => "fine";
          for (const step of last === "ana" ? (["report", "scout", "ana"] as const) : (["cut"] as const))
            await act(step);
          await Promise.all(subscribed);

          const { messages } = await client.call("chat_read_since", { limit: 500 });
          const ids = messages.map(({ id }) => id);
          await until(() => followed[0]?.at(-1) === ids.at(-1) && followed[1]?.at(-1) === ids.at(-1));
          expect(followed[0]).toEqual(ids);
          expect(ids.slice(ids.length - (followed[1]?.length ?? 0))).toEqual(followed[1]);
          for (const uri of URIS) {
            const fresh = await client.read(uri);
            await until(() => comparable(latest.get(uri)) === comparable(fresh));
          }
          const posts = steps.filter((step) => step === "ana").length + (last === "ana" ? 1 : 0);
          expect(messages.filter(({ author }) => author === "user")).toHaveLength(posts);
        },
      );
      await fc.assert(property, { numRuns: propertyRuns(database === "sqlite" ? 24 : 6), endOnFailure: true });
    });
  },
  { config: { rate_limit: 1_000_000 } },
);

/** When something last happened changes with every message, of which a status gives no hint. */
const comparable = (data: ResourceData | undefined): string =>
  JSON.stringify(data).replace(/\\"last_event_at\\":\\"[^"]*"/, "");
