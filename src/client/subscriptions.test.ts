/** WEB-5 to WEB-9: what is subscribed to is known as it is, whatever happens on the way. */
import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { FaultyTransport } from "../testing/faulty-transport.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { until } from "../testing/process.ts";
import {
  type Client,
  type ClientState,
  createClient,
  createSubscriptionManager,
  HubError,
  type ResourceData,
} from "./index.ts";
import { nodeTransport } from "./node.ts";

const PACE = { first_ms: 1, most_ms: 20 };
const INBOX = "ui://chat/inbox";

eachDatabase((open, database) => {
  let hub: TestHub;
  let ana: string;
  let network: FaultyTransport;
  let client: Client;
  let reports: unknown[];
  beforeEach(async () => {
    hub = await open();
    ana = await hub.token("human", "ana");
    await hub.token("agent", "scout");
    network = new FaultyTransport((request) => nodeTransport(hub.url)(request));
    reports = [];
    client = clientOf(ana);
  });

  const clientOf = (token: string): Client => {
    const made = createClient({
      transport: network.transport,
      token,
      pace: PACE,
      report: (error) => reports.push(error),
    });
    onTestFinished(() => made[Symbol.dispose]());
    return made;
  };
  const say = async (content: string) => expect((await hub.call(ana, "chat_human_post", { content })).status).toBe(200);
  const count = (method: string): number => network.requests.filter((request) => request.method === method).length;
  const last = (heard: readonly ResourceData[]): unknown => {
    const data = heard.at(-1);
    return data && !data.error ? JSON.parse(data[0]?.text ?? "") : data;
  };
  const said = (heard: readonly ResourceData[]): string[] | undefined => {
    const inbox = last(heard);
    return typeof inbox === "object" && inbox && "messages" in inbox && Array.isArray(inbox.messages)
      ? inbox.messages.map(({ content }) => content)
      : undefined;
  };
  const states = (): ClientState[] => {
    const seen: ClientState[] = [];
    onTestFinished(client.onState((state) => seen.push(state)));
    return seen;
  };

  test("WEB-5: a subscriber is told at once what there is, and again whenever it changes", async () => {
    await say("one");
    const heard: ResourceData[] = [];
    await createSubscriptionManager(client).subscribe(INBOX, (data) => heard.push(data));
    expect(heard).toEqual([[{ uri: INBOX, mimeType: "application/json", text: expect.any(String) }]]);
    expect(said(heard)).toEqual(["one"]);
    await say("two");
    await until(() => said(heard)?.length === 2);
  });

  test("a client that was disposed of reads nothing any more, however often reading has failed", async () => {
    const heard: ResourceData[] = [];
    const manager = createSubscriptionManager(client);
    await manager.subscribe(INBOX, (data) => heard.push(data));
    network.fate = () => "lost";
    manager.refresh(INBOX);
    await until(() => count("resources/read") > 3);
    client[Symbol.dispose]();
    const asked = network.requests.length;
    const told = heard.length;
    await until(() => heard.length > told);
    await pause(PACE.most_ms * 5);
    expect([network.requests.length, heard.length]).toEqual([asked, told + 1]);
  });

  test("WEB-5: many callbacks of one URI share one subscription and one read, and the last one ends it", async () => {
    const manager = createSubscriptionManager(client);
    const heard: ResourceData[][] = [[], [], []];
    const stops = await Promise.all(heard.map((own) => manager.subscribe(INBOX, (data) => own.push(data))));
    expect([count("subscriptions/listen"), count("resources/read")]).toEqual([1, 1]);
    await say("one");
    await until(() => heard.every((own) => said(own)?.length === 1));
    expect(count("resources/read")).toBe(2);
    // Called twice, the way to stop stops nobody else.
    stops[0]?.();
    stops[0]?.();
    await say("two");
    await until(() => said(heard[1] ?? [])?.length === 2);
    expect(said(heard[0] ?? [])).toEqual(["one"]);
    stops[1]?.();
    stops[2]?.();
    await until(() => network.streams === 0);
    const late: ResourceData[] = [];
    await manager.subscribe(INBOX, (data) => late.push(data));
    expect(said(late)).toEqual(["one", "two"]);
  });

  // The rest is decided by what was sent, whichever database there is.
  if (database !== "sqlite") return;

  test("WEB-5: a callback that throws disturbs nobody else", async () => {
    const manager = createSubscriptionManager(client);
    const heard: ResourceData[] = [];
    await manager.subscribe(INBOX, () => {
      throw new Error("not today");
    });
    await manager.subscribe(INBOX, (data) => heard.push(data));
    await say("one");
    await until(() => said(heard)?.length === 1);
    expect(reports.length).toBeGreaterThan(1);
  });

  test("WEB-5: what cannot be read comes as an error object, and as itself once it can", async () => {
    const manager = createSubscriptionManager(client);
    const heard: ResourceData[] = [];
    const inbox: ResourceData[] = [];
    await manager.subscribe("ui://chat/mason/inbox", (data) => heard.push(data));
    await manager.subscribe(INBOX, (data) => inbox.push(data));
    expect(heard).toEqual([{ error: true, code: "AGENT_NOT_FOUND", message: expect.stringMatching(/mason/) }]);
    await hub.token("agent", "mason");
    await until(() => said(heard));
    await hub.call(ana, "chat_human_post", { content: "hello", agent: "mason" });
    await until(() => said(heard)?.length === 1);
    expect(said(inbox)).toEqual([]);
  });

  test("WEB-6: several managers on one client all hear of it, on one stream", async () => {
    const heard: ResourceData[][] = [[], [], []];
    const uris = [INBOX, INBOX, "ui://agents"];
    await Promise.all(
      heard.map((own, at) => createSubscriptionManager(client).subscribe(uris[at] ?? "", (data) => own.push(data))),
    );
    await say("one");
    await until(() => said(heard[0] ?? [])?.length === 1 && said(heard[1] ?? [])?.length === 1);
    await hub.token("agent", "mason");
    await until(() => JSON.stringify(last(heard[2] ?? [])).includes("mason"));
    await until(() => network.streams === 1);
  });

  test("WEB-7: a read that takes long never replaces what a later one found", async () => {
    const heard: ResourceData[] = [];
    let delay = Promise.resolve();
    const slow = createClient({
      token: ana,
      pace: PACE,
      transport: async (request) => {
        const waits = request.headers["mcp-method"] === "resources/read" ? delay : undefined;
        const response = await network.transport(request);
        await waits;
        return response;
      },
    });
    onTestFinished(() => slow[Symbol.dispose]());
    await createSubscriptionManager(slow).subscribe(INBOX, (data) => heard.push(data));
    const held = Promise.withResolvers<void>();
    delay = held.promise;
    await say("one");
    await until(() => count("resources/read") === 2);
    delay = Promise.resolve();
    for (const text of ["two", "three"]) await say(text);
    held.resolve();
    await until(() => said(heard)?.length === 3);
    const sizes = heard.map((data) => said([data])?.length ?? -1);
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
  });

  test("WEB-8: when the hub goes everybody is told, and when it is back everything is as it is there", async () => {
    const heard: ResourceData[] = [];
    const seen = states();
    await createSubscriptionManager(client).subscribe(INBOX, (data) => heard.push(data));
    await hub.stop();
    // Before it is gone it may have said that it is stopping.
    await until(() => codeOf(heard.at(-1)) === "HUB_UNREACHABLE");
    expect(seen.at(-1)).toMatchObject({ state: "offline", since: expect.any(Number), error: expect.any(HubError) });
    hub = await open({ same: hub });
    ana = await hub.token("human", "ana");
    await until(() => said(heard));
    await until(() => seen.at(-1)?.state === "online");
    // It went on with a token of the old days, which is as good as ever.
    await say("after");
    await until(() => said(heard)?.at(-1) === "after");
  });

  test("WEB-8: somebody who subscribes while the hub is away is told so at once, and gets it later", async () => {
    network.fate = () => "lost";
    const heard: ResourceData[] = [];
    const manager = createSubscriptionManager(client);
    await manager.subscribe(INBOX, (data) => heard.push(data));
    expect(heard[0]).toMatchObject({ error: true, code: "HUB_UNREACHABLE" });
    const second: ResourceData[] = [];
    await manager.subscribe("ui://agents", (data) => second.push(data));
    expect(second[0]).toMatchObject({ error: true });
    network.fate = () => "fine";
    client.retry();
    await until(() => said(heard) && !second.at(-1)?.error);
  });

  test("a token that is revoked ends it: everybody is told, nothing is asked again, and nobody is disturbed", async () => {
    const heard: ResourceData[] = [];
    const seen = states();
    await createSubscriptionManager(client).subscribe(INBOX, (data) => heard.push(data));
    const { tokens } = (await hub.call(hub.admin, "token_list")).body;
    const { id } = tokens.find(({ principal }: { principal: string }) => principal === "ana");
    await hub.call(hub.admin, "token_revoke", { id });
    await until(() => seen.at(-1)?.state === "denied");
    expect(heard.at(-1)).toMatchObject({ error: true, code: "UNAUTHENTICATED" });
    const before = network.requests.length;
    // Not a measurement: with these pauses a client that goes on would have asked a dozen times.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(network.requests.length).toBe(before);
    expect(reports).toEqual([]);
  });

  test("WEB-9: contents of another shape are an error, and the next good ones are taken", async () => {
    const heard: ResourceData[] = [];
    network.fate = () => (count("subscriptions/listen") > 0 && count("resources/read") > 0 ? "garbled" : "fine");
    await createSubscriptionManager(client).subscribe(INBOX, (data) => heard.push(data));
    expect(heard.at(-1)?.error).toBe(true);
    network.fate = () => "fine";
    await until(() => said(heard));
  });

  test("a stream that is cut again and again misses nothing", async () => {
    const heard: ResourceData[] = [];
    await createSubscriptionManager(client).subscribe(INBOX, (data) => heard.push(data));
    for (let n = 0; n < 10; n++) {
      network.cut();
      await say(`${n}`);
    }
    await until(() => said(heard)?.length === 10);
  });

  test("a hint that is still under way on a stream when another takes its place is not missed", async () => {
    const heard: ResourceData[] = [];
    const manager = createSubscriptionManager(client);
    await manager.subscribe(INBOX, (data) => heard.push(data));
    let held = false;
    network.fate = () => {
      held = true;
      return "garbled";
    };
    await say("one");
    await until(() => held);
    network.fate = () => "fine";
    await manager.subscribe("ui://agents", () => {});
    await until(() => said(heard)?.length === 1);
    await until(() => network.streams === 1);
  });

  test("nor is what happens after the old stream broke and before the new one is there", async () => {
    const heard: ResourceData[] = [];
    let gate = Promise.resolve();
    const slow = createClient({
      token: ana,
      pace: PACE,
      transport: async (request) => {
        if (request.headers["mcp-method"] === "subscriptions/listen") await gate;
        return network.transport(request);
      },
    });
    onTestFinished(() => slow[Symbol.dispose]());
    const manager = createSubscriptionManager(slow);
    await manager.subscribe(INBOX, (data) => heard.push(data));
    const opened = Promise.withResolvers<void>();
    gate = opened.promise;
    const second = manager.subscribe("ui://agents", () => {});
    // So that the second stream is on its way, with everything on it, when the first one breaks.
    await new Promise((resolve) => setImmediate(resolve));
    network.cut();
    await until(() => network.streams === 0);
    await say("one");
    opened.resolve();
    await second;
    await until(() => said(heard)?.length === 1);
  });

  test("more URIs than one stream takes are watched on several, and few of them", async () => {
    await Promise.all(
      Array.from({ length: 150 }, (_, n) => hub.call(hub.admin, "agent_register", { name: agentOf(n) })),
    );
    const manager = createSubscriptionManager(client);
    const heard = new Map<string, ResourceData>();
    for (let from = 0; from < 150; from += 25)
      await Promise.all(
        Array.from({ length: 25 }, (_, at) => {
          const uri = `ui://chat/${agentOf(from + at)}/inbox`;
          return manager.subscribe(uri, (data) => heard.set(uri, data));
        }),
      );
    await until(() => network.streams <= 5);
    for (const n of [0, 99, 100, 149]) await hub.call(ana, "chat_human_post", { content: "hi", agent: agentOf(n) });
    const has = (n: number): boolean => said([heard.get(`ui://chat/${agentOf(n)}/inbox`) ?? []])?.length === 1;
    await until(() => [0, 99, 100, 149].every(has));
    network.cut();
    await hub.call(ana, "chat_human_post", { content: "hi", agent: agentOf(7) });
    await until(() => has(7));
  });

  test("what changes with time alone is read once more when asked for, for those who are subscribed", async () => {
    hub = await open({ now: Date.parse("2026-11-01T12:00:00Z") });
    client = clientOf(await hub.token("human", "ana"));
    await hub.call(await hub.token("agent", "scout"), "agent_heartbeat");
    const manager = createSubscriptionManager(client);
    const heard: ResourceData[] = [];
    const stop = await manager.subscribe("ui://agents", (data) => heard.push(data));
    expect(last(heard)).toMatchObject({ agents: [{ presence: "active" }] });
    await hub.tick(31 * 60_000);
    manager.refresh("ui://agents");
    await expect.poll(() => last(heard)).toMatchObject({ agents: [{ presence: "offline" }] });
    stop();
    const reads = count("resources/read");
    manager.refresh("ui://agents");
    expect(count("resources/read")).toBe(reads);
  });
});

const codeOf = (data: ResourceData | undefined): string | undefined => (data?.error ? data.code : undefined);

/** Names that do not look alike. */
const agentOf = (n: number): string => `a${[...n.toString(4)].map((digit) => "bcdf"[Number(digit)]).join("")}x`;
