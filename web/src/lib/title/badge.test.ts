import { expect, test } from "vitest";
import { withBadge } from "./badge.ts";

const number = (count: number): string | undefined =>
  />([^<]+)<\/text>/.exec(withBadge('<svg xmlns="http://www.w3.org/2000/svg"></svg>', count))?.[1];

test("the number on the icon is the count, as far as it can be read there", () => {
  expect([1, 9, 42, 99, 100, 1000].map(number)).toEqual(["1", "9", "42", "99", "99+", "99+"]);
});
