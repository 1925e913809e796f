import { expect, test } from "vitest";
import { matching } from "./matching.ts";
import { isPaletteKey } from "./shortcut.ts";

const entry = (words: string, group = "Agents") => ({ words, group, run: () => {} });
const ALL = [entry("Inbox", "Your mail"), entry("Chat with scout"), entry("Mail of scout"), entry("Write to mascot")];
const found = (text: string): string[] => matching(ALL, text).map(({ words }) => words);

test("every word that is typed has to be there, in any order, and the group counts as one", () => {
  expect(found("scout mail")).toEqual(["Mail of scout"]);
  expect(found("mail")).toEqual(["Inbox", "Mail of scout"]);
  expect(found("AGENTS wri")).toEqual(["Write to mascot"]);
  expect(found("zebra")).toEqual([]);
});

test("what begins with it stands before what has it inside", () => {
  expect(found("sc")).toEqual(["Chat with scout", "Mail of scout", "Write to mascot"]);
});

test("letters in their order are enough, and stand behind what is spelled out", () => {
  expect(found("msct")).toEqual(["Write to mascot"]);
  expect(found("sct")).toEqual(["Chat with scout", "Mail of scout"]);
  expect(found("tcs")).toEqual([]);
});

test("nothing typed is everything, in its order", () => {
  expect(found("  ")).toEqual(ALL.map(({ words }) => words));
});

test("the key is Ctrl or Cmd with K and nothing else", () => {
  const key = (more: object) =>
    isPaletteKey({
      key: "k",
      ctrlKey: false,
      metaKey: false,
      altKey: false,
      shiftKey: false,
      ...more,
    } as KeyboardEvent);
  expect([key({ ctrlKey: true }), key({ metaKey: true }), key({ ctrlKey: true, key: "K" })]).toEqual([
    true,
    true,
    true,
  ]);
  expect([key({}), key({ ctrlKey: true, shiftKey: true }), key({ ctrlKey: true, key: "j" })]).toEqual([
    false,
    false,
    false,
  ]);
});
