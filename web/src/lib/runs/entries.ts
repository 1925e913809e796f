import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Command } from "#lib/keys/commands.svelte.ts";
import { goto } from "$app/navigation";
import { STATES, whatWords } from "./words.ts";

const MOST = 50;

/** The newest runs, for the palette. */
export async function recentRuns(hub: Pick<Hub, "client">): Promise<Command[]> {
  const { runs } = await hub.client.call("run_list", { limit: MOST });
  return runs.map((run) => ({
    group: `Run · ${STATES[run.state].words}`,
    words: whatWords(run),
    key: `run ${run.id}`,
    run: () => void goto(`/runs/${run.id}`),
  }));
}
