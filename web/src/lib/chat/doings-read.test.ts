import { expect, test, vi } from "vitest";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import { Doings } from "./doings.svelte.ts";

interface Kept {
  id: string;
  changed: number;
  state: string;
}

/** A timeline of which each read is answered as it was when it was asked, and when the test lets it. */
class Timeline {
  readonly kept: Kept[] = Array.from({ length: 6 }, (_, n) => ({ id: `${n + 1}`, changed: n + 1, state: "running" }));
  readonly held: (() => void)[] = [];
  holds = false;
  tell = (): void => {};
  #changes = 6;

  finish(id: string): void {
    this.#changes += 1;
    const at = this.kept.findIndex((one) => one.id === id);
    this.kept[at] = { id, changed: this.#changes, state: "done" };
  }

  readonly client = {
    watch: (_uri: string, told: () => void) => {
      this.tell = told;
      return () => {};
    },
    call: async (tool: string, args: { before_id?: string; changed_after?: string }) => {
      if (tool === "agent_status") return { driver: "scripted" };
      const page = this.#page(args);
      if (this.holds && args.before_id !== undefined)
        await new Promise<void>((resolve) => void this.held.push(resolve));
      return page;
    },
  };

  #page({ before_id, changed_after }: { before_id?: string; changed_after?: string }) {
    const told = (all: Kept[]) => all.map(({ id, state }) => ({ id, kind: "Tool", output: state }));
    if (changed_after !== undefined) {
      const since = this.kept
        .filter(({ changed }) => changed > Number(changed_after))
        .sort((a, b) => a.changed - b.changed);
      return { items: told(since), last_id: `${since.at(-1)?.changed ?? changed_after}`, has_more: false };
    }
    const before = this.kept.filter(({ id }) => before_id === undefined || Number(id) < Number(before_id));
    return { items: told(before.slice(-2)), last_id: before.at(-1)?.id ?? null, has_more: before.length > 2 };
  }
}

const shown = (doings: Doings) => doings.items.map((item) => [item.id, "output" in item ? item.output : ""]);

test("WEB-7: what is read further back never takes the place of what was told of it meanwhile", async () => {
  const timeline = new Timeline();
  const doings = new Doings(timeline as unknown as Pick<Hub, "client">, "scout");
  const stop = doings.open();
  timeline.tell();
  await vi.waitFor(() => expect(shown(doings)).toEqual([5, 6].map((id) => [`${id}`, "running"])));
  timeline.holds = true;
  const reached = doings.reach("3");
  await vi.waitFor(() => expect(timeline.held).toHaveLength(1));
  timeline.finish("3");
  timeline.finish("6");
  timeline.tell();
  await vi.waitFor(() => expect(shown(doings).at(-1)).toEqual(["6", "done"]));
  timeline.held[0]?.();
  await reached;
  const now = [
    ["3", "done"],
    ["4", "running"],
    ["5", "running"],
    ["6", "done"],
  ];
  expect(shown(doings)).toEqual(now);
  // What is told of after that counts as before.
  timeline.finish("4");
  timeline.tell();
  await vi.waitFor(() => expect(shown(doings)[1]).toEqual(["4", "done"]));
  stop();
});
