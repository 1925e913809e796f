import fc from "fast-check";
import { expect, test } from "vitest";
import { Geometry } from "./geometry.ts";

const keysOf = (count: number): string[] => Array.from({ length: count }, (_, at) => `row ${at}`);
const heights = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 80 });

test("each row lies where those before it end, and is found by any point in it", () => {
  fc.assert(
    fc.property(heights, fc.double({ min: 0, max: 0.999, noNaN: true }), (heights, part) => {
      const geometry = new Geometry();
      geometry.keys = keysOf(heights.length);
      heights.forEach((height, at) => void geometry.measure(`row ${at}`, height));
      let top = 0;
      heights.forEach((height, at) => {
        expect(geometry.top(at)).toBe(top);
        expect(geometry.at(top + part * height)).toBe(at);
        top += height;
      });
      expect(geometry.total).toBe(top);
      expect(geometry.at(-1)).toBe(0);
      expect(geometry.at(top + 1)).toBe(heights.length - 1);
    }),
  );
});

test("rows that were never drawn count as the average of those that were", () => {
  const geometry = new Geometry();
  geometry.keys = keysOf(4);
  geometry.measure("row 0", 10);
  geometry.measure("row 2", 30);
  expect(geometry.total).toBe(10 + 20 + 30 + 20);
  expect(geometry.top(3)).toBe(60);
});

test("a row keeps its height however the list around it changes, and none comes from a row without one", () => {
  const geometry = new Geometry();
  geometry.keys = ["b"];
  expect(geometry.measure("b", 50)).toBe(true);
  expect(geometry.measure("b", 50)).toBe(false);
  expect(geometry.measure("b", 0)).toBe(false);
  geometry.keys = ["a", "b", "c"];
  expect([geometry.indexOf("b"), geometry.top(1), geometry.top(2)]).toEqual([1, 50, 100]);
  expect(geometry.indexOf("nobody")).toBe(-1);
});

test("an empty list has no height and no rows", () => {
  const geometry = new Geometry();
  expect([geometry.total, geometry.count, geometry.at(10), geometry.keyAt(0)]).toEqual([0, 0, 0, undefined]);
});
