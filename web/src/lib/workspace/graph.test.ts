import fc from "fast-check";
import { expect, test } from "vitest";
import { layOut } from "./graph.ts";

/** Tasks that depend on earlier ones alone, as in a plan without cycles. */
const plans = fc.array(fc.array(fc.nat(), { maxLength: 4 }), { maxLength: 40 }).map((all) =>
  all.map((before, at) => ({
    id: String(at),
    dependencies: at === 0 ? [] : [...new Set(before.map((n) => String(n % at)))],
  })),
);

test("every task has a place of its own, to the right of all that it depends on", () => {
  fc.assert(
    fc.property(plans, (tasks) => {
      const { nodes, edges, columns, rows } = layOut(tasks);
      expect(nodes.map(({ id }) => id).sort()).toEqual(tasks.map(({ id }) => id).sort());
      expect(new Set(nodes.map(({ column, row }) => `${column} ${row}`)).size).toBe(tasks.length);
      for (const { from, to } of edges) expect(from.column).toBeLessThan(to.column);
      expect(edges).toHaveLength(tasks.flatMap(({ dependencies }) => dependencies).length);
      for (const { column, row } of nodes) expect([column < columns, row < rows]).toEqual([true, true]);
    }),
  );
});

test("a task that depends on one that is not shown, or on a circle, has a place all the same", () => {
  const { nodes, edges } = layOut([
    { id: "a", dependencies: ["gone", "b"] },
    { id: "b", dependencies: ["a"] },
  ]);
  expect(nodes).toHaveLength(2);
  expect(edges).toHaveLength(2);
});
