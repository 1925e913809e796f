export type MailCommand =
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
  | "undo"
  | "close";

export interface Key {
  /** What is pressed, one after the other. */
  keys: readonly string[];
  command: MailCommand;
  words: string;
  /** Whether the list of commands offers it: what only moves about is quicker by its key. */
  offered?: true;
}

/** What is done with mail. What is pressed is looked up here, and what is shown is this. */
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
  { keys: ["Escape"], command: "close", words: "Close, or end the selection" },
];
