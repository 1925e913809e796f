import { expect, test } from "vitest";
import { eachDatabase } from "../../testing/hub.ts";
import { Desk } from "../../testing/workspace.ts";

eachDatabase((open) => {
  const ids = ({ tasks }: { tasks: { task_id: string }[] }): string[] => tasks.map(({ task_id }) => task_id);

  test("PLAN-1: a batch is added whole or not at all, blanks are named by index, and tasks refer to each other", async () => {
    const hub = await open();
    const chief = await Desk.of(hub, "orchestrator", "chief");
    const added = await chief.done("add_tasks", {
      tasks: [
        { description: "Research", ref: "research", assigned_to: "scout" },
        { description: "Write", dependencies: ["research"] },
        { description: "Review", dependencies: [1, "0"] },
      ],
    });
    const [research, write, review] = ids(added);
    expect(added.tasks.map(({ ready }: { ready: boolean }) => ready)).toEqual([true, false, false]);
    const { plan } = await chief.done("read_plan");
    expect(plan).toMatchObject([
      { id: research, description: "Research", status: "todo", assigned_to: "scout", dependencies: [], ready: true },
      { id: write, assigned_to: null, dependencies: [research], ready: false, blocked_by: [research] },
      { id: review, dependencies: [research, write], ready: false },
    ]);
    const { status, body } = await chief.call("add_tasks", { tasks: [{ description: "fine" }, { description: " " }] });
    expect([status, body.code, body.error]).toEqual([
      400,
      "INVALID_ARGUMENT",
      expect.stringContaining("tasks.1.description"),
    ]);
    expect((await chief.done("read_plan")).plan).toHaveLength(3);
  });

  test("PLAN-2: an unknown dependency, a circle and an invalid status are refused, and nothing changes", async () => {
    const hub = await open();
    const chief = await Desk.of(hub, "orchestrator", "chief");
    const [one = "", two = ""] = ids(
      await chief.done("add_tasks", { tasks: [{ description: "one" }, { description: "two", dependencies: [0] }] }),
    );
    const add = (...tasks: object[]) => chief.refused("add_tasks", { tasks });
    expect(await add({ description: "x", dependencies: ["nothing"] })).toBe("PLAN_TASK_NOT_FOUND");
    expect(await add({ description: "x", dependencies: [7] })).toBe("PLAN_TASK_NOT_FOUND");
    expect(await add({ description: "x", dependencies: [-1] })).toBe("PLAN_TASK_NOT_FOUND");
    expect(await add({ description: "x", dependencies: ["1772355600000000"] })).toBe("PLAN_TASK_NOT_FOUND");
    expect(await add({ description: "x", dependencies: [1] }, { description: "y", dependencies: [0] })).toBe(
      "PLAN_CYCLE",
    );
    expect(await add({ description: "x", dependencies: [0] })).toBe("PLAN_CYCLE");
    expect(await chief.refused("plan_link", { task_id: one, other_id: two })).toBe("PLAN_CYCLE");
    expect(await chief.refused("update_task", { task_id: one, status: "done" })).toBe("INVALID_ARGUMENT");
    expect(await chief.refused("update_task", { task_id: "1772355600000000", status: "todo" })).toBe(
      "PLAN_TASK_NOT_FOUND",
    );
    expect((await chief.done("read_plan")).plan).toMatchObject([
      { dependencies: [], status: "todo" },
      { dependencies: [one] },
    ]);
  });

  test("PLAN-3: a task whose dependencies are open is neither started nor completed; read_plan shows what is ready", async () => {
    const hub = await open();
    const chief = await Desk.of(hub, "orchestrator", "chief");
    const [one = "", two = ""] = ids(
      await chief.done("add_tasks", { tasks: [{ description: "one" }, { description: "two", dependencies: [0] }] }),
    );
    for (const status of ["in_progress", "completed"]) {
      const { status: answered, body } = await chief.call("update_task", { task_id: two, status });
      expect([answered, body]).toMatchObject([409, { code: "PLAN_BLOCKED", blocked_by: [one] }]);
    }
    await chief.done("update_task", { task_id: two, status: "blocked", summary: "waits for one" });
    await chief.done("update_task", { task_id: two, status: "todo" });
    await chief.done("update_task", { task_id: one, status: "completed", summary: "found it" });
    expect((await chief.done("read_plan")).plan).toMatchObject([
      { status: "completed", ready: false, summary: "found it" },
      { status: "todo", ready: true, blocked_by: [], dependencies: [one] },
    ]);
    expect((await chief.done("read_plan", { ready: true })).plan).toMatchObject([{ id: two }]);
    expect((await chief.done("update_task", { task_id: two, status: "in_progress" })).status).toBe("in_progress");
  });

  test("PLAN-4: who does a task is kept, changed alone, and cleared with null", async () => {
    const hub = await open();
    const chief = await Desk.of(hub, "orchestrator", "chief");
    const [task_id = ""] = ids(
      await chief.done("add_tasks", { tasks: [{ description: "one", assigned_to: "scout" }] }),
    );
    expect(await chief.done("update_task", { task_id, status: "in_progress" })).toMatchObject({ assigned_to: "scout" });
    expect(await chief.done("update_task", { task_id, assigned_to: "mason" })).toMatchObject({
      assigned_to: "mason",
      status: "in_progress",
    });
    expect(await chief.done("update_task", { task_id, assigned_to: null })).toMatchObject({ assigned_to: null });
    expect(await chief.refused("update_task", { task_id })).toBe("INVALID_ARGUMENT");
  });
});
