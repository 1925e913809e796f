import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Command } from "#lib/keys/commands.svelte.ts";
import { goto } from "$app/navigation";

const MOST = 200;

/** Triggers by their names, for the palette. */
export async function triggersByName(hub: Pick<Hub, "client">): Promise<Command[]> {
  const { triggers } = await hub.client.call("trigger_board", { limit: MOST });
  return triggers.map(({ name }) => ({
    group: "Trigger",
    words: name,
    key: `trigger ${name}`,
    run: () => void goto(`/triggers/${encodeURIComponent(name)}`),
  }));
}
