import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Command } from "#lib/keys/commands.svelte.ts";
import { byName } from "#lib/names.ts";
import { goto } from "$app/navigation";

const MOST = 200;

/** Triggers by their names, for the palette. */
export async function triggersByName(hub: Pick<Hub, "client">): Promise<Command[]> {
  const { triggers } = await hub.client.call("trigger_board", { limit: MOST });
  const names = triggers.map(({ name }) => name).toSorted(byName);
  return names.map((name) => ({
    group: "Trigger",
    words: name,
    key: `trigger ${name}`,
    run: () => void goto(`/triggers/${encodeURIComponent(name)}`),
  }));
}
