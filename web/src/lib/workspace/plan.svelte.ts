import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Tools } from "#lib/hub/types.ts";
import { Followed, IN_BURSTS } from "#lib/live/followed.svelte.ts";
import { newKey } from "$client/index.ts";
import type { PlanStatus, PlanTask } from "./types.ts";

type Page = Tools["read_plan"]["output"];

/** So many are drawn at first, and more with each page that is asked for. */
const PAGE = 200;

interface NewTask {
  description: string;
  dependencies: string[];
  assigned_to: string;
}

/** The shared checklist, as it stands. */
export class PlanList extends Followed {
  tasks = $state.raw<readonly PlanTask[]>([]);
  /** Whether there is more of it than is shown. */
  cut = $state(false);
  #pages = 1;
  readonly byId = $derived(new Map(this.tasks.map((task) => [task.id, task])));

  constructor(hub: Pick<Hub, "client">) {
    super(hub, { uris: ["parley://workspace/plan"], gather: IN_BURSTS });
  }

  showMore(): Promise<void> {
    this.#pages += 1;
    return this.refresh();
  }

  async add({ description, dependencies, assigned_to }: NewTask, key: string): Promise<void> {
    const task = { description, dependencies, ...(assigned_to !== "" && { assigned_to }) };
    await this.hub.client.call("add_tasks", { tasks: [task] }, { key });
    await this.refresh();
  }

  async set(task_id: string, status: PlanStatus): Promise<void> {
    try {
      await this.hub.client.call("update_task", { task_id, status }, { key: newKey() });
    } finally {
      await this.refresh();
    }
  }

  async assign(task_id: string, assigned_to: string): Promise<void> {
    const change = { task_id, assigned_to: assigned_to.trim() === "" ? null : assigned_to.trim() };
    await this.hub.client.call("update_task", change, { key: newKey() });
    await this.refresh();
  }

  protected async read(): Promise<void> {
    const tasks: PlanTask[] = [];
    let after: { after_id?: string } = {};
    for (let pages = 1; ; pages += 1) {
      const page: Page = await this.hub.client.call("read_plan", { limit: PAGE, ...after });
      tasks.push(...page.plan);
      this.cut = page.has_more;
      if (!page.has_more || page.last_id === null || pages >= this.#pages) break;
      after = { after_id: page.last_id };
    }
    // What is as it was stays the same thing: its row is not drawn again.
    const before = new Map(this.tasks.map((task) => [task.id, task]));
    this.tasks = tasks.map((task) => {
      const known = before.get(task.id);
      return known && JSON.stringify(known) === JSON.stringify(task) ? known : task;
    });
  }
}
