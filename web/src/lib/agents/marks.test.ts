import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { ChatNetwork } from "../../testing/chat-network.ts";
import { Marks } from "./marks.svelte.ts";

beforeEach(() => localStorage.clear());

const until = (condition: () => boolean): Promise<void> =>
  vi.waitFor(() => expect(condition()).toBe(true), { timeout: 20_000 });

async function followed(network: ChatNetwork): Promise<Marks> {
  const marks = new Marks(network);
  const stop = marks.follow();
  onTestFinished(() => {
    stop();
    network.client[Symbol.dispose]();
  });
  await marks.coming;
  return marks;
}

test("the hub knows what was read, and is told of it in a few calls, however fast one reads", async () => {
  const network = new ChatNetwork();
  network.marks.set("scout", "1000");
  const marks = await followed(network);
  expect([marks.of("scout"), marks.of("mason"), marks.coming]).toEqual(["1000", null, undefined]);
  for (let id = 1001; id <= 1100; id += 1) marks.advance("scout", String(id));
  expect(marks.of("scout")).toBe("1100");
  await until(() => network.marks.get("scout") === "1100");
  expect(network.calls.filter((name) => name === "chat_mark_read").length).toBeLessThanOrEqual(2);
});

test("a mark never goes back, and nobody is told of one that stays", async () => {
  const network = new ChatNetwork();
  network.marks.set("scout", "1000");
  const marks = await followed(network);
  marks.advance("scout", "999");
  marks.advance("scout", "1000");
  expect(marks.of("scout")).toBe("1000");
  expect(network.calls).not.toContain("chat_mark_read");
});

test("what was read in another browser is known when the page is looked at again, in another tab at once", async () => {
  const network = new ChatNetwork();
  const marks = await followed(network);
  network.marks.set("scout", "1000");
  dispatchEvent(new Event("focus"));
  await until(() => marks.of("scout") === "1000");

  const tab = await followed(network);
  tab.advance("scout", "1007");
  expect(marks.of("scout")).toBe("1007");
});

test("what is read while the hub is away is told when it is back", async () => {
  const network = new ChatNetwork();
  const marks = await followed(network);
  network.away = true;
  marks.advance("scout", "1000");
  await until(() => network.calls.includes("chat_mark_read"));
  marks.refresh();
  expect(marks.of("scout")).toBe("1000");
  network.away = false;
  await until(() => {
    marks.refresh();
    return network.marks.get("scout") === "1000";
  });
  expect(marks.of("scout")).toBe("1000");
});

test("after a restore it is the hub's word that counts", async () => {
  const network = new ChatNetwork();
  network.marks.set("scout", "1000");
  const marks = await followed(network);
  network.marks.clear();
  marks.refresh();
  await until(() => marks.of("scout") === null);
});

test("a hub that cannot be asked keeps nobody waiting", async () => {
  const network = new ChatNetwork();
  network.away = true;
  const marks = await followed(network);
  expect([marks.of("scout"), marks.coming]).toEqual([null, undefined]);
});
