import fc from "fast-check";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { ChatNetwork, type Fate } from "../../testing/chat-network.ts";
import { Chat } from "./chat.svelte.ts";

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

/** Whatever was under way has come to its next stop. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
const until = (condition: () => boolean): Promise<void> =>
  vi.waitFor(() => expect(condition()).toBe(true), { timeout: 20_000 });

async function opened(network: ChatNetwork): Promise<Chat> {
  const chat = new Chat(network, "scout");
  const close = chat.open();
  onTestFinished(() => {
    close();
    network.client[Symbol.dispose]();
  });
  await until(() => chat.loaded);
  return chat;
}

const failed = (chat: Chat) => chat.rows.find(({ pending }) => pending?.state === "failed");
const contents = (chat: Chat): string[] => chat.rows.map(({ message }) => message.content);

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
      const chat = new Chat(network, "scout");
      const close = chat.open();
      const sent: string[] = [];
      const check = (): void => {
        const own = chat.rows.filter(({ message }) => message.author_principal === "ana");
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
          if (left) void chat.retry(left.key);
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
      for (let left = failed(chat); left; left = failed(chat)) await chat.retry(left.key);
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
  await until(() => network.calls.length >= 2);
  const before = network.calls.length;
  expect(await chat.reach(said[200]?.id ?? "")).toBe(true);
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
    expect(await chat.reach(gone)).toBe(false);
    expect(chat.link).toBe("gone");
    expect(contents(chat)).toContain("message 299");
  }
  const [late, last] = await Promise.all([chat.reach(said[5]?.id ?? ""), chat.reach(said[299]?.id ?? "")]);
  expect([late, last, chat.link]).toEqual([false, true, undefined]);
  expect(contents(chat)).toContain("message 299");
});

test("what was not seen when the page is opened begins with a line, own words never do", async () => {
  const network = new ChatNetwork();
  const seen = network.say("seen");
  localStorage.setItem("parley:seen:scout", seen.id);
  network.say("mine", { author: "user", author_principal: "ana" });
  const first = network.say("new");
  network.say("newer");
  const chat = await opened(network);
  expect(chat.rows.filter(({ unread }) => unread).map(({ key }) => key)).toEqual([first.id]);
  chat.see();
  expect(localStorage.getItem("parley:seen:scout")).toBe(network.messages.at(-1)?.id);
});

test("what the page was left with before the hub answered is there once afterwards, as its copy or to be tried again", async () => {
  const network = new ChatNetwork();
  const before = await opened(network);
  network.fate = () => "late";
  void before.send("it got there");
  await turn();
  network.fate = () => "refused";
  await before.send("it did not");

  const chat = await opened(network);
  await until(() => chat.rows.length === 2);
  expect(chat.rows.map(({ message, pending }) => [message.content, pending?.state])).toEqual([
    ["it got there", undefined],
    ["it did not", "failed"],
  ]);
  network.fate = () => "fine";
  await chat.retry(failed(chat)?.key ?? "");
  expect(network.messages.map(({ content }) => content)).toEqual(["it got there", "it did not"]);
  expect(contents(chat)).toEqual(["it got there", "it did not"]);
});
