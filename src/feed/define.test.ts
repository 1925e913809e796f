/** What an event holds is known by its definition alone. */
import { expect, expectTypeOf, test } from "vitest";
import { dataOf, defineEvent, isAny } from "./define.ts";
import type { FeedEvent } from "./event.ts";

const topic = "shelf";
const put = defineEvent<{ book: string; pages: number }>({ topic, type: "book.put" });
const lent = defineEvent<{ book: string; to: string }>({ topic, type: "book.lent" });
const moved = defineEvent<{ row: number }>({ topic, type: "shelf.moved" });
const isOfBook = isAny<{ book: string }>([put, lent]);

const told: FeedEvent = {
  ...{ id: 7, type: "book.lent", topic, stream: "a", ref: 7, actor_id: "ana" },
  data: { book: "Emma", to: "ben" },
};

test("an event that nobody has looked at has no fields to read, and one of a known type those of its type", () => {
  expectTypeOf(told.data).not.toHaveProperty("book");
  expect(put.is(told)).toBe(false);
  if (!lent.is(told)) throw new Error("Not known as what it is.");
  expectTypeOf(told.data).toEqualTypeOf<{ book: string; to: string }>();
  expect(told.data.to).toBe("ben");
  expect(lent.view(({ to }) => ({ to }))(told)).toEqual({ to: "ben" });
  expect(put.view(({ pages }) => ({ pages }))(told)).toBeNull();
});

test("of several types that is read which all of them hold", () => {
  expect(dataOf(told, isOfBook).book).toBe("Emma");
  expect(isOfBook({ ...told, topic: "elsewhere" })).toBe(false);
});

test("whoever reads an event as one of another type is told so, and reads nothing", () => {
  expect(() => dataOf(told, moved.is)).toThrow("book.lent was told to who reads other events.");
});

test("one of a group holds what it has beside the others, and no more is asked of it", () => {
  const member = lent.member<{ book: string }>({ id: 8, stream: "b", data: { to: "ben" } });
  expect(member).toEqual({ id: 8, type: "book.lent", stream: "b", data: { to: "ben" } });
  // @ts-expect-error: to whom it was lent is missing
  lent.member<{ book: string }>({ id: 8, stream: "b", data: {} });
});
