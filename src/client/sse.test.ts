import fc from "fast-check";
import { expect, test } from "vitest";
import { EventParser } from "./sse.ts";

function eventsOf(pieces: readonly string[]): unknown[] {
  const events: unknown[] = [];
  const parser = new EventParser((event) => events.push(event));
  for (const piece of pieces) parser.push(piece);
  return events;
}

test("events are read as the standard has them: comments, several lines of data, all three ends of a line", () => {
  const text =
    ": keep-alive\n\nid: 7\r\nevent: chat\r\ndata: one\r\ndata:two\r\n\r\nretry: 1000\n\ndata: three\r\rdata: never ended";
  expect(eventsOf([text])).toEqual([
    { id: "7", event: "chat", data: "one\ntwo" },
    { id: undefined, event: "message", data: "three" },
  ]);
});

test("wherever the network cuts a stream into pieces, the same events come of it", () => {
  const line = fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replaceAll(/[\r\n]/g, ""));
  const end = fc.constantFrom("\n", "\r\n", "\r");
  const events = fc.array(fc.record({ id: line, data: line }), { maxLength: 6 });
  fc.assert(
    fc.property(events, end, fc.array(fc.nat(40), { minLength: 1 }), (sent, end, cuts) => {
      const text = sent.map(({ id, data }) => `id: ${id}${end}data: ${data}${end}${end}`).join("");
      const pieces: string[] = [];
      for (let at = 0, turn = 0; at < text.length; turn += 1) {
        const size = cuts[turn % cuts.length] || 1;
        pieces.push(text.slice(at, at + size));
        at += size;
      }
      expect(eventsOf(pieces)).toEqual(sent.map(({ id, data }) => ({ id, event: "message", data })));
    }),
  );
});
