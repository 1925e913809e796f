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
    name: "wait",
    summary: "wait for mail",
    load: async () => (await import("./wait.ts")).wait,
  },
];
