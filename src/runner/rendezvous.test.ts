import { expect, test } from "vitest";
import { preferredOf } from "./rendezvous.ts";

const nodes = ["otter", "heron", "mason"];
const keys = Array.from({ length: 300 }, (_, n) => `sess_${n}`);

test("all who know the same nodes agree, whatever their order, and each has its share", () => {
  const shares = Map.groupBy(keys, (key) => preferredOf(nodes, key));
  for (const key of keys) expect(preferredOf(nodes.toReversed(), key)).toBe(preferredOf(nodes, key));
  for (const node of nodes) expect(shares.get(node)?.length).toBeGreaterThan(60);
});

test("when a node goes only its own share moves", () => {
  const left = nodes.filter((node) => node !== "heron");
  for (const key of keys)
    if (preferredOf(nodes, key) !== "heron") expect(preferredOf(left, key)).toBe(preferredOf(nodes, key));
  expect(preferredOf([], "sess_1")).toBe(undefined);
});
