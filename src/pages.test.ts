import { expect, test } from "vitest";
import { FROM_THE_TOP, fittingPage, page, startOf } from "./pages.ts";

const rows = [9, 7, 5].map((id) => ({ id: id * 1_000_000 }));
const at = ({ id }: { id: number }): number => id;

test("a page says where the next one begins, and the last one that it is the last", () => {
  expect(page(rows, 2, at)).toEqual({ shown: rows.slice(0, 2), next: "7000000" });
  expect(page(rows, 3, at)).toEqual({ shown: rows, next: null });
  expect(page([], 3, at)).toEqual({ shown: [], next: null });
  expect([startOf(undefined), startOf("7000000")]).toEqual([FROM_THE_TOP, 7_000_000]);
});

test("a page ends at its limit or at its bytes, holds at least one, and says whether there is more", () => {
  const half = { bytes: 512 * 1024 };
  const large = { bytes: 2 * 1024 * 1024 };
  expect(fittingPage([half, half], 2)).toEqual({ shown: [half, half], has_more: false });
  expect(fittingPage([half, half], 1)).toEqual({ shown: [half], has_more: true });
  expect(fittingPage([half, half, half], 3)).toEqual({ shown: [half, half], has_more: true });
  expect(fittingPage([large, half], 2)).toEqual({ shown: [large], has_more: true });
  expect(fittingPage([], 2)).toEqual({ shown: [], has_more: false });
});
