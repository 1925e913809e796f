import { expect, test } from "vitest";
import { whenWords } from "#lib/time.ts";
import { hrefOf, placeOf } from "./address.ts";
import { KEYS } from "./keys.ts";
import { quoted } from "./quote.ts";
import { namesIn, suggestions, withName } from "./recipients.ts";
import { deliveryWords, sizeWords, toWords } from "./words.ts";

test("a place and its address are the same thing", () => {
  for (const [box, query] of [
    [undefined, ""],
    ["scout", "?folder=archived&q=red+from%3Aben&thread=12"],
    [undefined, "?compose=1&to=scout"],
  ] as const) {
    const place = placeOf(box, new URLSearchParams(query));
    expect(hrefOf(place)).toBe(`/mail${box ? `/${box}` : ""}${query}`);
  }
});

test("an address with nonsense in it is the inbox", () => {
  const place = placeOf(undefined, new URLSearchParams("folder=nowhere&thread=<script>"));
  expect(place).toMatchObject({ folder: "inbox", thread: undefined, compose: false });
});

test("no key means two things", () => {
  const all = KEYS.map(({ keys }) => keys.join(" "));
  expect(new Set(all).size).toBe(all.length);
});

test("recipients are names with anything between them, each once, and suggested as they are typed", () => {
  expect(namesIn(" scout, ben;scout\n ana ")).toEqual(["scout", "ben", "ana"]);
  expect(suggestions("ben, as", ["ben", "ana", "lasse", "asta"])).toEqual(["asta", "lasse"]);
  expect(suggestions("ben, ", ["ben", "ana"])).toEqual(["ana"]);
  expect(withName("ben, as", "asta")).toBe("ben, asta, ");
});

test("how far a mail came is told by the furthest that anybody came", () => {
  const who = (
    state: "stored" | "offered" | "read",
    read_at: string | null = null,
    acked_at: string | null = null,
  ) => ({
    name: "scout",
    state,
    read_at,
    acked_at,
    deliveries: [],
  });
  const ts = "2026-11-18T10:00:00.000Z";
  expect(deliveryWords({ recipients: [who("stored"), who("stored")] })).toBe("Saved, fetched by none of 2 yet");
  expect(deliveryWords({ recipients: [who("offered"), who("stored")] })).toBe("Delivered to 1 of 2");
  expect(deliveryWords({ recipients: [who("read", ts), who("offered")] })).toBe("Read by 1 of 2");
  expect(deliveryWords({ recipients: [who("read", ts, ts), who("read", ts)] })).toBe("Acknowledged by 1 of 2");
});

test("recipients are named as far as the list has them, and the rest is counted", () => {
  expect(toWords({ to: ["scout", "mason"], recipients: 2 })).toBe("scout, mason");
  expect(toWords({ to: ["scout", "mason"], recipients: 7 })).toBe("scout, mason and 5 more");
});

test("a thread's size is told where there is more than the one mail, as far as the hub counts", () => {
  const words = [0, 1, 2, 99, 100].map((thread_size) => sizeWords({ thread_size }));
  expect(words).toEqual([undefined, undefined, "2 mails", "99 mails", "100+ mails"]);
});

test("a time is told in as few words as do", () => {
  const now = new Date(2026, 10, 18, 10).getTime();
  const at = (days: number) => new Date(2026, 10, 18 + days, 9).toISOString();
  expect(whenWords(at(0), now)).not.toMatch(/[a-z]{4}/);
  expect(whenWords(at(1), now)).toMatch(/^tomorrow, /);
  expect(whenWords(at(-1), now)).toMatch(/^yesterday, /);
  expect(whenWords(at(5), now)).toMatch(/23/);
  expect(whenWords(at(400), now)).toMatch(/2027/);
});

test("what is quoted stays one quotation, line by line", () => {
  expect(quoted("first\n\n> second\n")).toBe("> first\n>\n> > second");
});
