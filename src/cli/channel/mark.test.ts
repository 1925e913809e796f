import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ChannelMark } from "./mark.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "parley-mark-"));
});
afterEach(() => rmSync(home, { recursive: true }));

const mark = (more: object = {}): ChannelMark =>
  new ChannelMark({ home, space: "main", agent: "scout", epoch: "e1", ...more });
const file = (): string => join(home, "channel", "main.scout.json");

test("what was pushed last is known to the next session, of this agent in this space alone", () => {
  expect(mark().read()).toBeUndefined();
  mark().write("17");
  mark().write("18");
  expect(mark().read()).toBe("18");
  expect(mark({ agent: "mason" }).read()).toBeUndefined();
  expect(mark({ space: "sess_a" }).read()).toBeUndefined();
});

test("a position in data that was there before a restore means nothing", () => {
  mark().write("17");
  expect(mark({ epoch: "e2" }).read()).toBeUndefined();
});

test.each(["", '{"epoch":"e1","after', "null", '{"epoch":"e1"}', '{"epoch":"e1","after_id":"../.."}', "[]"])(
  "a file that holds %j is as good as none, and is replaced",
  (text) => {
    mark().write("1");
    writeFileSync(file(), text);
    expect(mark().read()).toBeUndefined();
    mark().write("2");
    expect(JSON.parse(readFileSync(file(), "utf8"))).toEqual({ epoch: "e1", after_id: "2" });
  },
);
