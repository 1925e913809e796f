import { expect, test } from "vitest";
import { byName } from "./names.ts";

test("names with numbers stand in the order in which people count", () => {
  expect(["job-10", "job-2", "ana", "job-1", "scout"].toSorted(byName)).toEqual([
    ...["ana", "job-1", "job-2", "job-10", "scout"],
  ]);
});
