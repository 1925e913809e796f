import { expect, test } from "vitest";
import { ListState } from "./list-state.svelte.ts";

const listOf = (ids: string) => new ListState(() => [...ids].map((id) => ({ id })));

test("one goes down and up a list, and stays at its ends", () => {
  const list = listOf("abc");
  expect([1, 1, 1, 1, -1].map((by) => list.step(by as 1 | -1)?.id)).toEqual(["a", "b", "c", "c", "b"]);
  expect(listOf("abc").step(-1)?.id).toBe("c");
  expect(listOf("").step(1)).toBeUndefined();
});

test("what leaves gives its place to the next one down, and at the end to the one above", () => {
  const list = listOf("abcd");
  expect(list.after(new Set(["b"]))?.id).toBe("c");
  expect(list.after(new Set(["b", "c"]))?.id).toBe("d");
  expect(list.after(new Set(["d"]))?.id).toBe("c");
  expect(list.after(new Set("abcd"))).toBeUndefined();
});

test("what is selected is what is listed of it, in the list's order", () => {
  const list = listOf("abc");
  list.toggle("c");
  list.toggle("a");
  list.toggle("gone");
  expect(list.chosen.map(({ id }) => id)).toEqual(["a", "c"]);
  list.toggle("a");
  expect(list.chosen.map(({ id }) => id)).toEqual(["c"]);
});
