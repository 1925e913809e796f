import fc from "fast-check";
import { expect, test } from "vitest";
import { messageOf, messagesOf } from "../../testing/messages.ts";
import { Stretches } from "./stretches.svelte.ts";

const idsOf = (stretches: Stretches): number[] => stretches.shown.messages.map(({ id }) => Number(id));

test("what was said twice, late or in between is there once, in the hub's order", () => {
  const stretches = new Stretches();
  stretches.begin({ messages: messagesOf(10, 12), has_earlier: true });
  stretches.add([messageOf(15)]);
  stretches.add([messageOf(13), messageOf(15), messageOf(12)]);
  stretches.add([messageOf(14)]);
  expect(idsOf(stretches)).toEqual([10, 11, 12, 13, 14, 15]);
});

test("what was read before a stretch that is gone by now is not put in front of another one", () => {
  const stretches = new Stretches();
  const old = messagesOf(10, 12);
  stretches.begin({ messages: old, has_earlier: true });
  stretches.begin({ messages: messagesOf(20, 22), has_earlier: true });
  const [first] = old;
  if (first) stretches.addBefore(first, { messages: messagesOf(5, 9), has_earlier: false });
  expect(idsOf(stretches)).toEqual([20, 21, 22]);
});

test("a message that is in no stretch that is known may be elsewhere; in one that is, it is there or nowhere", () => {
  const stretches = new Stretches();
  stretches.begin({ messages: [messageOf(10), messageOf(12)], has_earlier: true });
  expect([10, 11, 12, 9, 13].map((id) => stretches.find(String(id)))).toEqual([
    true,
    false,
    true,
    undefined,
    undefined,
  ]);
  stretches.begin({ messages: [messageOf(10)], has_earlier: false });
  expect(stretches.find("9")).toBe(false);
  expect(stretches.find("nonsense")).toBe(false);
});

interface Step {
  kind: "say" | "earlier" | "later" | "link" | "home";
  size: number;
  at: number;
}

const step = fc.record<Step>({
  kind: fc.constantFrom("say", "earlier", "later", "link", "home"),
  size: fc.integer({ min: 1, max: 9 }),
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
});

test("wherever links lead and however one reads on, what is shown has no gap, and ends at the newest when it says so", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.array(step, { maxLength: 40 }), (count, steps) => {
      // Every third position is nobody's: ids are positions in a feed of many things.
      const hub = Array.from({ length: count }, (_, at) => messageOf(3 * at + 1));
      const stretches = new Stretches();
      const tail = hub.slice(-5);
      stretches.begin({ messages: tail, has_earlier: tail.length < hub.length });
      for (const { kind, size, at } of steps) {
        const { messages } = stretches.shown;
        const [first] = messages;
        const last = messages.at(-1);
        if (kind === "say") {
          const said = messageOf(3 * hub.length + 1);
          hub.push(said);
          stretches.add([said]);
        } else if (kind === "earlier" && first) {
          const begin = hub.indexOf(first);
          const page = hub.slice(Math.max(0, begin - size), begin);
          stretches.addBefore(first, { messages: page, has_earlier: begin - size > 0 });
        } else if (kind === "later" && last && stretches.is_away) {
          const end = hub.indexOf(last) + 1;
          stretches.addAfter(last, hub.slice(end, end + size));
        } else if (kind === "link") {
          const index = Math.floor(at * hub.length);
          const id = hub[index]?.id ?? "";
          if (stretches.find(id) === undefined)
            stretches.go({
              messages: hub.slice(Math.max(0, index - size), index + size),
              has_earlier: index - size > 0,
            });
          expect(stretches.find(id)).toBe(true);
        } else if (kind === "home") stretches.home();

        const shown = stretches.shown.messages;
        const begin = hub.findIndex(({ id }) => id === shown[0]?.id);
        expect(shown.map(({ id }) => id)).toEqual(hub.slice(begin, begin + shown.length).map(({ id }) => id));
        expect(stretches.shown.has_earlier).toBe(begin > 0);
        expect(stretches.newest.at(-1)).toBe(hub.at(-1));
        if (!stretches.is_away) expect(shown.at(-1)).toBe(hub.at(-1));
      }
    }),
  );
});
