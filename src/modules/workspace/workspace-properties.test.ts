/** Whatever somebody does with notes and plan, these hold. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { fold } from "../../db/pieces.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { Desk } from "../../testing/workspace.ts";

const STATUSES = ["todo", "in_progress", "completed", "blocked"] as const;
type Status = (typeof STATUSES)[number];

interface Known {
  id: string;
  status: Status;
  blockers: Set<number>;
}

/** Whether one task waits for another, by what is known. */
function waitsFor(known: readonly Known[], from: number, to: number): boolean {
  return from === to || [...(known[from]?.blockers ?? [])].some((next) => waitsFor(known, next, to));
}

eachDatabase((open) => {
  let spaces = 0;
  const freshDesk = async (hub: TestHub): Promise<Desk> => {
    spaces += 1;
    const id = `sess_p${spaces}`;
    await new Desk(hub, hub.admin).done("space_create", { id });
    return new Desk(hub, hub.admin, { "x-session-id": id });
  };

  test("PLAN-2, PLAN-3: whatever is added, linked and changed, nothing leads in a circle, and ready is what can be started", async () => {
    const hub = await open({ config: { rate_limit: 100_000 } });
    const place = fc.nat(7);
    const action = fc.oneof(
      fc.record({ kind: fc.constant("add" as const), dependencies: fc.array(place, { maxLength: 3 }) }),
      fc.record({ kind: fc.constantFrom("link" as const, "unlink" as const), from: place, to: place }),
      fc.record({ kind: fc.constant("status" as const), at: place, status: fc.constantFrom(...STATUSES) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 25 }), async (actions) => {
        const desk = await freshDesk(hub);
        const known: Known[] = [];
        const isOpen = (at: number): boolean => known[at]?.status !== "completed";
        const isFree = ({ blockers }: Known): boolean => ![...blockers].some(isOpen);
        for (const act of actions) {
          if (act.kind === "add") {
            const blockers = new Set(act.dependencies.filter((at) => at < known.length));
            const tasks = [{ description: "x", dependencies: [...blockers].map((at) => known[at]?.id) }];
            const { tasks: added } = await desk.done("add_tasks", { tasks });
            known.push({ id: added[0].task_id, status: "todo", blockers });
          } else if (act.kind === "status") {
            const task = known[act.at];
            if (!task) continue;
            const starts = act.status === "in_progress" || act.status === "completed";
            const isRefused = starts && act.status !== task.status && !isFree(task);
            const { body } = await desk.call("update_task", { task_id: task.id, status: act.status });
            expect(body.code).toBe(isRefused ? "PLAN_BLOCKED" : undefined);
            if (!isRefused) task.status = act.status;
          } else {
            const [task, other] = [known[act.from], known[act.to]];
            if (!task || !other) continue;
            const args = { task_id: task.id, other_id: other.id };
            if (act.kind === "link") {
              const isCircle = waitsFor(known, act.to, act.from);
              const { body } = await desk.call("plan_link", args);
              expect(body.code).toBe(isCircle ? "PLAN_CYCLE" : undefined);
              if (!isCircle) task.blockers.add(act.to);
            } else if ((await desk.done("plan_unlink", args)).changed) task.blockers.delete(act.to);
          }
        }
        const { plan } = await desk.done("read_plan");
        expect(plan.map(({ status, ready }: Record<string, unknown>) => ({ status, ready }))).toEqual(
          known.map((task) => ({ status: task.status, ready: task.status === "todo" && isFree(task) })),
        );
        const { plan: ready } = await desk.done("read_plan", { ready: true });
        expect(ready.map(({ id }: { id: string }) => id)).toEqual(
          known.filter((task) => task.status === "todo" && isFree(task)).map(({ id }) => id),
        );
      }),
      { numRuns: 15 },
    );
  });

  test("NOTE-2: a text is found in exactly the notes that have it, wherever it stands and whatever its case", async () => {
    const hub = await open({ config: { rate_limit: 100_000 } });
    const letters = fc.constantFrom(
      "a",
      "A",
      "b",
      "é",
      "É",
      "ß",
      "S",
      " ",
      "\n",
      "σ",
      "ς",
      "Σ",
      "😀",
      "%",
      "_",
      "'",
      "\\",
      "0",
    );
    const word = fc.string({ unit: letters, minLength: 1, maxLength: 12 });
    const content = word.filter((text) => text.trim() !== "");
    await fc.assert(
      fc.asyncProperty(
        fc.array(content, { minLength: 1, maxLength: 12 }),
        fc.array(word, { minLength: 1, maxLength: 6 }),
        async (contents, queries) => {
          const desk = await freshDesk(hub);
          for (const content of contents) await desk.done("add_note", { content });
          const parts = contents.map((content) => [...content].slice(1, 5).join("")).filter((part) => part !== "");
          for (const query of [...queries, ...parts]) {
            const { notes } = await desk.done("read_notes", { query });
            const found = notes.map((note: { content: string }) => note.content);
            expect([query, found]).toEqual([query, contents.filter((content) => fold(content).includes(fold(query)))]);
          }
        },
      ),
      { numRuns: 15 },
    );
  });
});
