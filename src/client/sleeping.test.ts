/** A page that nobody looks at needs no connection, and misses nothing. */
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { faultyClient, PACE } from "../testing/faulty-client.ts";
import type { FaultyTransport } from "../testing/faulty-transport.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { until } from "../testing/process.ts";
import { type Client, type ClientState, createClient, createSubscriptionManager, followChat } from "./index.ts";
import { nodeTransport } from "./node.ts";

eachDatabase((open, database) => {
  let hub: TestHub;
  let ana: string;
  let network: FaultyTransport;
  let client: Client;
  let states: ClientState["state"][];
  let heard: string[];
  beforeEach(async () => {
    hub = await open();
    ana = await hub.token("human", "ana");
    await hub.token("agent", "scout");
    ({ network, client } = faultyClient(() => hub, ana));
    states = [];
    heard = [];
    client.onState(({ state }) => states.push(state));
  });

  const say = async (content: string) => expect((await hub.call(ana, "chat_human_post", { content })).status).toBe(200);
  const follow = () =>
    followChat(client, { messages: (messages) => void heard.push(...messages.map(({ content }) => content)) });

  test("asleep it holds no stream; awake it has every message once, those of the night too", async () => {
    follow();
    await say("evening");
    await until(() => heard.length === 1);
    client.sleep();
    await until(() => network.streams === 0);
    await say("night");
    await say("dawn");
    expect(heard).toEqual(["evening"]);
    client.wake();
    await until(() => heard.length === 3);
    await say("morning");
    await until(() => heard.length === 4);
    expect(heard).toEqual(["evening", "night", "dawn", "morning"]);
    expect(states).not.toContain("offline");
  });

  // The rest is decided by what was sent, whichever database there is.
  if (database !== "sqlite") return;

  test("what is followed while asleep is heard of on waking", async () => {
    client.sleep();
    follow();
    await say("unheard");
    await createSubscriptionManager(createClientOfAna()).subscribe("ui://agents", () => {});
    expect(heard).toEqual([]);
    client.wake();
    await until(() => heard.length === 1);
    expect(heard).toEqual(["unheard"]);
  });

  test("falling asleep while a stream is being opened is no failure, nor is waking in the same moment", async () => {
    follow();
    await Promise.resolve();
    await Promise.resolve();
    client.sleep();
    await until(() => network.streams === 0);
    client.wake();
    client.sleep();
    client.wake();
    await say("hello");
    await until(() => heard.length === 1);
    expect(states).not.toContain("offline");
    expect(network.streams).toBe(1);
  });

  test("a sleeper asks for nothing, however often it is told to try again", async () => {
    follow();
    await until(() => states.includes("online"));
    client.sleep();
    await until(() => network.streams === 0);
    const asked = network.requests.length;
    client.retry();
    await say("somebody else's doing");
    client.retry();
    await createSubscriptionManager(createClientOfAna()).subscribe("ui://agents", () => {});
    expect(network.requests.length).toBe(asked);
  });

  test("a hub that went away in the night is found to be away on waking, and back when it is", async () => {
    follow();
    await until(() => states.includes("online"));
    client.sleep();
    await until(() => network.streams === 0);
    network.fate = () => "lost";
    states.length = 0;
    client.wake();
    await until(() => states.includes("offline"));
    network.fate = () => "fine";
    await say("back");
    await until(() => heard.length === 1);
    expect(states.at(-1)).toBe("online");
  });

  test("one look is enough to know what happened and that the hub is there, then it sleeps on", async () => {
    follow();
    await until(() => states.includes("online"));
    network.fate = () => "lost";
    network.cut();
    await until(() => states.includes("offline"));
    client.sleep();
    network.fate = () => "fine";
    await say("meanwhile");
    client.look();
    await until(() => heard.length === 1);
    expect(states.at(-1)).toBe("online");
    await until(() => network.streams === 0);
    await say("later");
    client.look();
    await until(() => heard.length === 2);
    await until(() => network.streams === 0);
    expect(heard).toEqual(["meanwhile", "later"]);
  });

  /** Another one, by the same road as the first: once it has heard, so would the first have. */
  const createClientOfAna = (): Client => {
    const other = createClient({ transport: nodeTransport(hub.url), token: ana, pace: PACE });
    onTestFinished(() => other[Symbol.dispose]());
    return other;
  };
});
