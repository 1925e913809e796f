import { expect, test } from "vitest";
import { byName, freeName } from "./names.ts";

test("names with numbers stand in the order in which people count", () => {
  expect(["job-10", "job-2", "ana", "job-1", "scout"].toSorted(byName)).toEqual([
    ...["ana", "job-1", "job-2", "job-10", "scout"],
  ]);
});

test("another name is the next that nobody has, and no longer than names are", () => {
  expect(freeName("scout", [])).toBe("scout-2");
  expect(freeName("scout-2", ["scout", "scout-2", "scout-3"])).toBe("scout-4");
  expect(freeName("m".repeat(40), [])).toBe(`${"m".repeat(38)}-2`);
});
