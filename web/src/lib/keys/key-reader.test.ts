import { expect, test } from "vitest";
import { KeyReader } from "./key-reader.ts";

const table = [{ keys: ["g", "i"], to: "inbox" }, { keys: ["i"], to: "info" }, { to: "nowhere" }];

test("two keys one after the other are one command, and its second alone another", () => {
  const reader = new KeyReader();
  expect(reader.read(table, "g", 0)).toBeUndefined();
  expect(reader.read(table, "i", 1000)?.to).toBe("inbox");
  expect(reader.read(table, "i", 1001)?.to).toBe("info");
});

test("whoever takes long for the second key means it alone", () => {
  const reader = new KeyReader();
  reader.read(table, "g", 0);
  expect(reader.read(table, "i", 5000)?.to).toBe("info");
  expect(reader.read(table, "q", 5001)).toBeUndefined();
});
