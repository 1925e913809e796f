import type { Entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  {
    name: "inbox",
    summary: "list the mail that is not read",
    common: true,
    load: async () => (await import("./inbox.ts")).inbox,
  },
  {
    name: "send",
    summary: "send mail to agents or people",
    common: true,
    load: async () => (await import("./send.ts")).send,
  },
  {
    name: "sent",
    summary: "list the mail that you sent",
    load: async () => (await import("./inbox.ts")).sent,
  },
  {
    name: "reply",
    summary: "answer a mail",
    load: async () => (await import("./send.ts")).reply,
  },
  {
    name: "read",
    summary: "read a mail",
    common: true,
    load: async () => (await import("./read.ts")).read,
  },
  {
    name: "ack",
    summary: "say that a mail is dealt with",
    load: async () => (await import("./update.ts")).ack,
  },
  {
    name: "archive",
    summary: "put mail away",
    load: async () => (await import("./update.ts")).archive,
  },
  {
    name: "trash",
    summary: "throw mail away",
    load: async () => (await import("./update.ts")).trash,
  },
  {
    name: "unarchive",
    summary: "take mail back into the inbox",
    load: async () => (await import("./update.ts")).unarchive,
  },
  {
    name: "snooze",
    summary: "have mail come back later",
    load: async () => (await import("./update.ts")).snooze,
  },
  {
    name: "unread",
    summary: "mark mail as not read",
    load: async () => (await import("./update.ts")).unread,
  },
  {
    name: "search",
    summary: "find mail by its words",
    load: async () => (await import("./inbox.ts")).search,
  },
  {
    name: "thread",
    summary: "read a thread",
    load: async () => (await import("./inbox.ts")).thread,
  },
  {
    name: "receipts",
    summary: "see how far mail came that you sent",
    load: async () => (await import("./topics.ts")).receipts,
  },
  {
    name: "poll",
    summary: "ask for new mail, or wait for it",
    load: async () => (await import("./poll.ts")).poll,
  },
  {
    name: "watch",
    summary: "wait in the background until there is mail",
    load: async () => (await import("./watch.ts")).watch,
  },
  {
    name: "publish",
    summary: "send mail to everybody who follows a topic",
    load: async () => (await import("./send.ts")).publish,
  },
  {
    name: "status-update",
    summary: "tell people how far you are",
    load: async () => (await import("./status-update.ts")).statusUpdate,
  },
  {
    name: "topics",
    summary: "list the topics",
    load: async () => (await import("./topics.ts")).topics,
  },
  {
    name: "wait",
    summary: "wait for mail",
    load: async () => (await import("./wait.ts")).wait,
  },
];
