/** What tasks need, and who is there to offer it. */
import { expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

const START = Date.parse("2027-03-01T09:00:00Z");
const MINUTE_MS = 60_000;
const GPU = { needs: ["gpu"] };

eachDatabase((open) => {
  const make = async (hub: TestHub, content: string, more: object = {}) =>
    (await hub.call(hub.admin, "task_create", { content, ...more })).body;
  const claim = async (hub: TestHub, token: string, more: object = {}) =>
    (await hub.call(token, "get_next_task", more)).body.next_task;
  const held = async (hub: TestHub, task_id: string) =>
    (await hub.call(hub.admin, "task_get", { task_id })).body.held_for;
  const told = async (hub: TestHub): Promise<string[]> =>
    (await hub.call(hub.admin, "need_list")).body.needs.map(({ title }: { title: string }) => title);

  test("TASK-32: a worker offers what it does for as long as it has a task, however long it works on it", async () => {
    const hub = await open({ now: START });
    const mason = await hub.token("worker", "mason");
    const first = await make(hub, "train", GPU);
    await claim(hub, mason, { offers: ["gpu"] });
    const work = async (minutes: number) => {
      for (let n = 0; n < 2 * minutes; n += 1) {
        await hub.tick(MINUTE_MS / 2);
        expect((await hub.call(mason, "task_heartbeat", { task_id: first.id })).status).toBe(200);
      }
    };
    await work(12);
    const second = await make(hub, "train more", GPU);
    expect(await held(hub, second.id)).toBeNull();
    await work(12);
    expect([await held(hub, second.id), await told(hub)]).toEqual([null, []]);
    await hub.call(mason, "task_complete", { task_id: first.id, response_summary: "trained" });
    await hub.tick(MINUTE_MS);
    // It has not asked for another one: it was last seen more than ten minutes ago.
    expect(await held(hub, second.id)).toBe("needs");
  });

  test("TASK-32: people are told also where whoever offered it has gone since the task was made", async () => {
    const hub = await open({ now: START });
    const mason = await hub.token("worker", "mason");
    expect(await claim(hub, mason, { offers: ["gpu"] })).toBeNull();
    await hub.tick(5 * MINUTE_MS);
    const { id } = await make(hub, "train", GPU);
    await hub.tick(MINUTE_MS);
    expect([await held(hub, id), await told(hub)]).toEqual([null, []]);
    await hub.tick(5 * MINUTE_MS);
    expect(await held(hub, id)).toBe("needs");
    await hub.tick(5 * MINUTE_MS);
    expect(await told(hub)).toEqual(["No worker offers gpu"]);
    for (let n = 0; n < 3; n += 1) await hub.tick(10 * MINUTE_MS);
    expect(await told(hub)).toEqual(["No worker offers gpu"]);
    await claim(hub, mason, { offers: ["gpu"] });
    expect(await told(hub)).toEqual([]);
  });

  test("TASK-32: what was told of other needs keeps nobody waiting, nor does what was delayed", async () => {
    const hub = await open({ now: START });
    await make(hub, "draw", { needs: ["screen"] });
    await hub.tick(MINUTE_MS);
    await make(hub, "train", GPU);
    await make(hub, "print", { needs: ["printer"], run_at: "1h" });
    await hub.tick(MINUTE_MS);
    expect((await told(hub)).sort()).toEqual(["No worker offers gpu", "No worker offers screen"]);
    await hub.tick(60 * MINUTE_MS);
    await hub.tick(MINUTE_MS);
    expect(await told(hub)).toContain("No worker offers printer");
  });
});
