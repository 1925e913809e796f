import fc from "fast-check";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { ChatNetwork, type Fate } from "../../testing/chat-network.ts";
import { Marks } from "../agents/marks.svelte.ts";
import { Chat } from "./chat.svelte.ts";
import { Outbox } from "./outbox.svelte.ts";

const saidIn = (chat: Chat) => chat.rows.filter((row) => "message" in row);

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

/** Whatever was under way has come to its next stop. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
const until = (condition: () => boolean): Promise<void> =>
  vi.waitFor(() => expect(condition()).toBe(true), { timeout: 20_000 });

async function opened(network: ChatNetwork): Promise<Chat> {
  const marks = new Marks(network);
  const unfollow = marks.follow();
  const chat = new Chat(network, { marks, outbox: new Outbox(network) }, "scout");
  const close = chat.open();
  onTestFinished(() => {
    close();
    unfollow();
    network.client[Symbol.dispose]();
  });
  await until(() => chat.loaded);
  return chat;
}

const failed = (chat: Chat) => chat.rows.find(({ pending }) => pending?.state === "failed");
const contents = (chat: Chat): string[] => saidIn(chat).map(({ message }) => message.content);

interface Step {
  kind: "send" | "say" | "release" | "wait" | "retry";
  text: string;
  fate: Fate;
}

const step = fc.record<Step>({
  kind: fc.constantFrom("send", "send", "say", "release", "wait", "retry"),
  // Few, so that the same thing is often said twice.
  text: fc.constantFrom("yes", "no"),
  fate: fc.constantFrom("fine", "late", "lost", "refused"),
});

test("own words are there at once and exactly once, whether their copy or their answer comes first, or none at all", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
      sessionStorage.clear();
      const network = new ChatNetwork();
      const chat = new Chat(network, { marks: new Marks(network), outbox: new Outbox(network) }, "scout");
      const close = chat.open();
      const sent: string[] = [];
      const check = (): void => {
        const own = saidIn(chat).filter(({ message }) => message.author_principal === "ana");
        expect(own.map(({ message }) => message.content).sort()).toEqual([...sent].sort());
      };
      await until(() => chat.loaded);
      for (const { kind, text, fate } of steps) {
        let tries = 0;
        // The second try of one whose answer was lost finds out.
        network.fate = () => (tries++ > 0 && fate === "lost" ? "fine" : fate);
        if (kind === "send") {
          sent.push(text);
          void chat.send(text);
        } else if (kind === "say") network.say(`scout says ${text}`);
        else if (kind === "release") network.release();
        else if (kind === "retry") {
          const left = failed(chat);
          if (left) void chat.outgoing.retry(left.key);
        }
        if (kind !== "wait") check();
        await turn();
        check();
      }
      network.fate = () => "fine";
      await until(() => {
        network.release();
        check();
        return !chat.outgoing.sending;
      });
      // One whose copy turns out to be another's comes back, and is tried too.
      for (let left = failed(chat); left; left = failed(chat)) await chat.outgoing.retry(left.key);
      await until(() => chat.rows.length === network.messages.length);
      expect(contents(chat)).toEqual(network.messages.map(({ content }) => content));
      close();
      network.client[Symbol.dispose]();
    }),
    { numRuns: 60 },
  );
});

test("a link far back is found with two reads, and reading on from there leads to the newest without a gap", async () => {
  const network = new ChatNetwork();
  const said = Array.from({ length: 1500 }, (_, at) => network.say(`message ${at}`));
  const chat = await opened(network);
  await until(() => network.calls.length >= 3);
  const before = network.calls.length;
  expect(await chat.reach(said[200]?.id ?? "")).toBe(said[200]?.id);
  expect(network.calls.length - before).toBe(2);
  expect([chat.has_later, chat.has_earlier, chat.link]).toEqual([true, true, undefined]);
  network.say("said meanwhile");
  await until(() => chat.last_id === network.messages.at(-1)?.id);
  expect(contents(chat)).not.toContain("said meanwhile");
  while (chat.has_later) await chat.loadLater();
  while (chat.has_earlier) await chat.loadEarlier();
  expect(contents(chat)).toEqual(network.messages.map(({ content }) => content));
});

test("a link to what is not there says so, one that was followed since has the last word", async () => {
  const network = new ChatNetwork();
  const said = Array.from({ length: 300 }, (_, at) => network.say(`message ${at}`));
  const chat = await opened(network);
  for (const gone of ["1", String(Number(said[20]?.id) + 1), "9007199254740991", "nonsense"]) {
    expect(await chat.reach(gone)).toBe(undefined);
    expect(chat.link).toBe("gone");
    expect(contents(chat)).toContain("message 299");
  }
  const [late, last] = await Promise.all([chat.reach(said[5]?.id ?? ""), chat.reach(said[299]?.id ?? "")]);
  expect([late, last, chat.link]).toEqual([undefined, said[299]?.id, undefined]);
  expect(contents(chat)).toContain("message 299");
});

test("what was not seen when the page is opened begins with a line, own words never do", async () => {
  const network = new ChatNetwork();
  const seen = network.say("seen");
  network.marks.set("scout", seen.id);
  network.say("mine", { author: "user", author_principal: "ana" });
  const first = network.say("new");
  network.say("newer");
  const chat = await opened(network);
  expect(
    saidIn(chat)
      .filter(({ unread }) => unread)
      .map(({ key }) => key),
  ).toEqual([first.id]);
  chat.see();
  await until(() => network.marks.get("scout") === network.messages.at(-1)?.id);
});

test("what the page was left with before the hub answered is there once afterwards, as its copy or to be tried again", async () => {
  const network = new ChatNetwork();
  const before = await opened(network);
  network.fate = () => "refused";
  await before.send("it did not");
  network.fate = () => "late";
  void before.send("it got there");
  await turn();

  const chat = await opened(network);
  await until(() => chat.rows.length === 2);
  expect(saidIn(chat).map(({ message, pending }) => [message.content, pending?.state])).toEqual([
    ["it got there", undefined],
    ["it did not", "failed"],
  ]);
  network.fate = () => "fine";
  await chat.outgoing.retry(failed(chat)?.key ?? "");
  expect(network.messages.map(({ content }) => content)).toEqual(["it got there", "it did not"]);
  expect(contents(chat)).toEqual(["it got there", "it did not"]);
});

test("what waits goes when the hub is back, in its order: behind what was on its way, from a chat that was left, and after a reload", async () => {
  const network = new ChatNetwork();
  const outbox = new Outbox(network);
  const chat = new Chat(network, { marks: new Marks(network), outbox }, "scout");
  const close = chat.open();
  onTestFinished(() => network.client[Symbol.dispose]());
  await until(() => chat.loaded);
  network.fate = () => "late";
  void chat.send("on its way");
  await turn();
  network.live = false;
  await chat.send("said while it was away");
  expect(chat.rows.map(({ pending }) => pending?.state)).toEqual([undefined, "waiting"]);
  close();
  network.live = true;
  network.fate = () => "fine";
  await outbox.flush();
  network.release();
  await until(() => network.messages.length === 2);

  network.live = false;
  await chat.send("said before the reload");
  network.live = true;
  await new Outbox(network).flush();
  expect(network.messages.map(({ content }) => content)).toEqual([
    "on its way",
    "said while it was away",
    "said before the reload",
  ]);
});
