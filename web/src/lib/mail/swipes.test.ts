import { expect, test } from "vitest";
import { isIn } from "./copies.ts";
import { swipesOf } from "./swipes.ts";
import type { Copy } from "./types.ts";

const copy = (change: Partial<Copy> = {}): Copy => ({
  state: "inbox",
  read_at: null,
  acked_at: null,
  snoozed_until: null,
  ...change,
});

test("to the right a row leaves where it lies: the inbox for the archive, anything else for the inbox", () => {
  expect(swipesOf(copy()).right.action).toBe("archive");
  for (const away of [
    copy({ state: "archived" }),
    copy({ state: "trash" }),
    copy({ snoozed_until: "2026-11-20T09:00:00.000Z" }),
  ]) {
    expect(isIn(away, "inbox")).toBe(false);
    expect(swipesOf(away).right.action).toBe("inbox");
  }
});
