import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Tools } from "#lib/hub/types.ts";
import { Followed } from "#lib/live/followed.svelte.ts";
import { byName } from "#lib/names.ts";
import { newKey } from "$client/index.ts";
import type { Tried, TriggerDetails, TriggerLine } from "./types.ts";

const URI = "parley://triggers";
const SOME = 100;
/** The hub lists no more in one go. */
const MANY = 500;
/** Of those that fired, so many are shown. */
const RUNS = 20;

/** All triggers, or the one that is open: one read either way. */
export class Triggers extends Followed {
  list = $state.raw<readonly TriggerLine[]>([]);
  /** With those that are not shown. */
  total = $state(0);
  /** Undefined while it is not known. */
  open = $state.raw<TriggerDetails>();
  #limit = SOME;
  #name: string | undefined;

  constructor(hub: Pick<Hub, "client">, name: string | undefined) {
    super(hub, { uris: [URI] });
    this.#name = name;
  }

  showMore(): Promise<void> {
    this.#limit = MANY;
    return this.refresh();
  }

  create(input: Tools["trigger_create"]["input"], key: string): Promise<Tools["trigger_create"]["output"]> {
    return this.doing(this.hub.client.call("trigger_create", input, { key }));
  }

  update(input: Tools["trigger_update"]["input"]): Promise<Tools["trigger_update"]["output"]> {
    return this.doing(this.hub.client.call("trigger_update", input, { key: newKey() }));
  }

  remove(name: string): Promise<Tools["trigger_delete"]["output"]> {
    return this.hub.client.call("trigger_delete", { name }, { key: newKey() });
  }

  rotate(name: string): Promise<Tools["trigger_rotate"]["output"]> {
    return this.doing(this.hub.client.call("trigger_rotate", { name }));
  }

  /** Fires it now, with what came with an earlier run where one is named. */
  run(name: string, again?: string): Promise<Tools["trigger_run"]["output"]> {
    const input = { name, ...(again !== undefined && { again }) };
    return this.doing(this.hub.client.call("trigger_run", input, { key: newKey() }));
  }

  /** What it would say to what came with that run. Nothing is done. */
  test(name: string, run?: string): Promise<Tried> {
    return this.hub.client.call("trigger_test", { name, ...(run !== undefined && { run }) });
  }

  protected override async read(): Promise<void> {
    const { client } = this.hub;
    if (this.#name === undefined) {
      const { triggers, total } = await client.call("trigger_board", { limit: this.#limit });
      this.list = triggers.toSorted((one, other) => byName(one.name, other.name));
      this.total = total;
    } else this.open = await client.call("trigger_get", { name: this.#name, runs: RUNS });
  }
}
