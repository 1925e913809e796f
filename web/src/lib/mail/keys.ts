export type Command =
  | "next"
  | "previous"
  | "open"
  | "archive"
  | "trash"
  | "unread"
  | "snooze"
  | "ack"
  | "reply"
  | "compose"
  | "select"
  | "search"
  | "help"
  | "inbox"
  | "agents"
  | "undo"
  | "close";

export interface Key {
  /** What is pressed, one after the other. */
  keys: readonly string[];
  command: Command;
  words: string;
  /** Whether the list of commands offers it: what only moves about is quicker by its key. */
  offered?: true;
}

/** The one list: what is pressed is looked up here, and what is shown is this. */
export const KEYS: readonly Key[] = [
  { keys: ["j"], command: "next", words: "Next mail" },
  { keys: ["k"], command: "previous", words: "Previous mail" },
  { keys: ["Enter"], command: "open", words: "Open it" },
  { keys: ["e"], command: "archive", words: "Archive", offered: true },
  { keys: ["#"], command: "trash", words: "To the trash", offered: true },
  { keys: ["u"], command: "unread", words: "Mark unread, or read", offered: true },
  { keys: ["s"], command: "snooze", words: "Snooze", offered: true },
  { keys: ["h"], command: "snooze", words: "Snooze" },
  { keys: ["a"], command: "ack", words: "Acknowledge", offered: true },
  { keys: ["r"], command: "reply", words: "Reply", offered: true },
  { keys: ["c"], command: "compose", words: "New mail", offered: true },
  { keys: ["x"], command: "select", words: "Select", offered: true },
  { keys: ["/"], command: "search", words: "Search", offered: true },
  { keys: ["z"], command: "undo", words: "Undo", offered: true },
  { keys: ["g", "i"], command: "inbox", words: "Go to your inbox" },
  { keys: ["g", "a"], command: "agents", words: "Go to the agents" },
  { keys: ["?"], command: "help", words: "These keys", offered: true },
  { keys: ["Escape"], command: "close", words: "Close, or end the selection" },
];

const FIRST_OF_TWO_MS = 1500;

/** Tells which command was meant, where one takes two keys. */
export class KeyReader {
  #first: { key: string; at: number } | undefined;

  read(key: string, at: number): Command | undefined {
    const first = this.#first && at - this.#first.at < FIRST_OF_TWO_MS ? this.#first.key : undefined;
    this.#first = undefined;
    const two = KEYS.find(({ keys }) => keys.length === 2 && keys[0] === first && keys[1] === key);
    if (two) return two.command;
    if (KEYS.some(({ keys }) => keys.length === 2 && keys[0] === key)) this.#first = { key, at };
    return KEYS.find(({ keys }) => keys.length === 1 && keys[0] === key)?.command;
  }
}
