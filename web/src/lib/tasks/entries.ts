import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Command } from "#lib/keys/commands.svelte.ts";
import { goto } from "$app/navigation";
import { hrefOf, NOWHERE } from "./address.ts";
import { COLUMN_WORDS } from "./words.ts";

/** Of each column. */
const MOST = 40;

/** The tasks at the top of the board, for the palette. */
export async function tasksOnTheBoard(hub: Pick<Hub, "client">): Promise<Command[]> {
  const { columns } = await hub.client.call("task_board", { limit: MOST });
  return columns.flatMap(({ column, tasks }) =>
    tasks.map(({ id, text }) => ({
      group: `Task · ${COLUMN_WORDS[column]}`,
      words: text.trim(),
      key: `task ${id}`,
      run: () => void goto(hrefOf(NOWHERE, { id })),
    })),
  );
}
