import { expect, test } from "vitest";
import { type Client, createClient } from "../../client/index.ts";
import { nodeTransport } from "../../client/node.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { Listener } from "./listener.ts";
import { MailPusher } from "./mail.ts";
import { createPersist } from "./session.ts";

const SOON = { timeout: 90_000 };

/** A session's mail by a channel, on a way to the hub on which it can be held up. */
class Pushing implements Disposable {
  readonly contents: string[] = [];
  readonly listener = new Listener();
  readonly ended: Promise<string>;
  /** How many requests wait to be let through. */
  held = 0;
  readonly #quiet = new AbortController();
  readonly #client: Client;
  #gate: PromiseWithResolvers<void> | undefined;

  constructor(hub: TestHub, token: string) {
    const transport = nodeTransport(hub.url);
    this.#client = createClient({
      token,
      transport: async (request) => {
        this.held += 1;
        await this.#gate?.promise;
        this.held -= 1;
        return transport(request);
      },
    });
    const { signal } = this.#quiet;
    const pusher = new MailPusher(
      {
        client: this.#client,
        signal,
        place: { home: "", space: "default", agent: "scout" },
        push: async ({ content }) => void this.contents.push(content),
        listener: this.listener,
        persist: createPersist(this.#client, signal),
        note: () => {},
      },
      () => true,
    );
    this.ended = pusher.run();
  }

  has(text: string): boolean {
    return this.contents.some((content) => content.includes(text));
  }

  hold(): void {
    this.#gate = Promise.withResolvers();
  }

  letThrough(): void {
    this.#gate?.resolve();
  }

  [Symbol.dispose](): void {
    this.#quiet.abort();
    this.letThrough();
    this.#client[Symbol.dispose]();
  }
}

eachDatabase((open) => {
  test("the later of two sessions that are heard keeps the channel, though the first one asks for mail after it", async () => {
    const hub = await open();
    const [ana, scout] = [await hub.token("human", "ana"), await hub.token("agent", "scout")];
    const write = (subject: string) => hub.call(ana, "mail_send", { to: ["scout"], subject, body: "b" });
    const waiting = () => expect.poll(() => hub.hub.streams.count(({ kind }) => kind === "wait"), SOON);
    using first = new Pushing(hub, scout);
    first.listener.prove();
    await waiting().toBe(1);

    // It has the mail and does not wait for the next yet.
    first.hold();
    await write("one");
    await expect.poll(() => first.has("one") && first.held > 0, SOON).toBe(true);
    using second = new Pushing(hub, scout);
    second.listener.prove();
    await expect.poll(() => second.has("one"), SOON).toBe(true);
    await waiting().toBe(1);
    first.letThrough();

    expect(await first.ended).toBe("superseded");
    await write("two");
    await expect.poll(() => second.has("two"), SOON).toBe(true);
    expect(first.has("two")).toBe(false);
  });
});
