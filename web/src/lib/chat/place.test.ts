import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Message } from "#lib/hub/types.ts";
import { messageOf, messagesOf } from "../../testing/messages.ts";
import { Screen } from "../../testing/screen.ts";
import { ScrollPlace } from "./place.svelte.ts";
import { RowMaker } from "./rows.ts";

beforeEach(() => {
  vi.stubGlobal("document", { visibilityState: "visible", addEventListener: () => {}, removeEventListener: () => {} });
  vi.stubGlobal("innerHeight", 600);
});
afterEach(() => vi.unstubAllGlobals());

/** A reader in front of a chat that has messages and nothing else. */
class Reader {
  messages: Message[];
  unread_id: string | undefined;
  readonly maker = new RowMaker();
  readonly place: ScrollPlace;
  readonly screen: Screen;

  constructor(messages: Message[], unread_id?: string) {
    this.messages = messages;
    this.unread_id = unread_id;
    const reader = this;
    let place: ScrollPlace | undefined;
    this.screen = new Screen(() => {
      place = new ScrollPlace({
        loaded: true,
        get newest() {
          return reader.messages;
        },
        has_later: false,
        unread_id,
        loadEarlier: async () => {},
        loadLater: async () => {},
        toNewest: () => {},
        reach: async (id) => reader.messages.find((message) => message.id === id)?.id,
        see: () => {},
        unsee: () => {},
      });
      return place;
    });
    if (!place) throw new Error("there is no place");
    this.place = place;
  }

  show(messages = this.messages): Promise<void> {
    this.messages = messages;
    return this.screen.show(this.maker.rows(messages, this.unread_id));
  }
}

interface Step {
  kind: "say" | "earlier" | "scroll" | "leap" | "grow";
  by: number;
  count: number;
}

const step = fc.record<Step>({
  kind: fc.constantFrom("say", "earlier", "scroll", "leap", "grow"),
  by: fc.integer({ min: -300, max: 300 }),
  count: fc.integer({ min: 1, max: 40 }),
});

test("the row at the top of the view stays where it is, and at the end the list stays at its end, whatever happens", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 200 }), fc.array(step, { maxLength: 30 }), async (size, steps) => {
      const reader = new Reader(messagesOf(100_000, 100_000 + size));
      const { screen, place } = reader;
      await reader.show();
      expect(screen.fromEnd).toBeLessThan(1);
      for (const { kind, by, count } of steps) {
        const following = place.following;
        const key = screen.topKey ?? "";
        const before = screen.offsetOf(key) ?? 0;
        let moved = 0;
        if (kind === "scroll") moved = await screen.scroll(by);
        else if (kind === "leap") {
          await screen.scroll(by * 100);
          expect(screen.isCovered).toBe(true);
          continue;
        } else if (kind === "say") {
          const last = Number(reader.messages.at(-1)?.id);
          await reader.show([...reader.messages, ...messagesOf(last + 1, last + count)]);
        } else if (kind === "earlier") {
          const first = Number(reader.messages[0]?.id);
          await reader.show([...messagesOf(first - count, first - 1), ...reader.messages]);
        } else {
          const grown = screen.drawn[count % screen.drawn.length]?.key ?? "";
          // Of what does not grow nobody is told, and then nothing is put in its place either.
          screen.grown.set(grown, (screen.grown.get(grown) ?? 0) + Math.max(1, Math.abs(by)));
          await screen.settle();
        }
        expect(screen.isCovered).toBe(true);
        // At the end it is the end that stays; a hair's breadth away from it still counts as the end.
        if (following && place.following) expect(screen.fromEnd).toBeLessThan(kind === "scroll" ? 48 : 1);
        if (following || place.following) continue;
        expect(screen.offsetOf(key)).toBeCloseTo(before - moved, 0);
      }
    }),
    { numRuns: 200 },
  );
});

test("what comes while one reads above is counted, and no longer when one is at the end", async () => {
  const reader = new Reader(messagesOf(1, 50));
  await reader.show();
  await reader.screen.scroll(-400);
  expect(reader.place.following).toBe(false);
  await reader.show([...reader.messages, messageOf(51), messageOf(52)]);
  expect(reader.place.arrived).toBe(2);
  await reader.show([messageOf(0), ...reader.messages]);
  expect(reader.place.arrived).toBe(2);
  await reader.screen.scroll(100_000);
  expect([reader.place.arrived, reader.place.following]).toEqual([0, true]);
});

test("opened with something new, a chat begins there", async () => {
  const reader = new Reader(messagesOf(1, 50), "20");
  await reader.show();
  expect(reader.place.following).toBe(false);
  expect(reader.screen.offsetOf("20")).toBeCloseTo(24, 0);
});

test("a link brings its message into view, from wherever one is, and it stays there while rows are measured", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 300 }), fc.integer({ min: -20_000, max: 0 }), async (id, from) => {
      const reader = new Reader(messagesOf(1, 300));
      await reader.show();
      await reader.screen.scroll(from);
      await reader.place.go(String(id));
      await reader.screen.settle();
      const offset = reader.screen.offsetOf(String(id)) ?? -1;
      expect(offset).toBeGreaterThanOrEqual(0);
      expect(offset).toBeLessThan(600);
    }),
    { numRuns: 100 },
  );
});
