import type { Command } from "#lib/keys/commands.svelte.ts";

interface Doing {
  move: (by: 1 | -1) => void;
  column: (by: 1 | -1) => void;
  add: () => void;
  cancel: () => void;
  requeue: () => void;
  close: () => void;
}

const group = "This page";

/** What can be done on the board. What is pressed is looked up here, and what is shown is this. */
export const keysOf = (doing: Doing): Command[] => [
  { group, words: "Next task", keys: ["j"], hidden: true, run: () => doing.move(1) },
  { group, words: "Previous task", keys: ["k"], hidden: true, run: () => doing.move(-1) },
  { group, words: "Next column", keys: ["l"], hidden: true, run: () => doing.column(1) },
  { group, words: "Previous column", keys: ["h"], hidden: true, run: () => doing.column(-1) },
  { group, words: "Add a task", keys: ["c"], run: doing.add },
  { group, words: "Cancel the task", keys: ["#"], run: doing.cancel },
  { group, words: "Try the dead task again", keys: ["r"], run: doing.requeue },
  { group, words: "Close", keys: ["Escape"], hidden: true, run: doing.close },
];
