import { commonEntry, type Entry, entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  commonEntry("inbox", "list the mail that is not read", () => import("./inbox.ts"), "inbox"),
  commonEntry("send", "send mail to agents or people", () => import("./send.ts"), "send"),
  entry("sent", "list the mail that you sent", () => import("./inbox.ts"), "sent"),
  entry("reply", "answer a mail", () => import("./send.ts"), "reply"),
  commonEntry("read", "read a mail", () => import("./read.ts"), "read"),
  entry("search", "find mail by its words", () => import("./inbox.ts"), "search"),
  entry("thread", "read a thread", () => import("./inbox.ts"), "thread"),
  entry("poll", "ask for new mail, or wait for it", () => import("./poll.ts"), "poll"),
  entry("watch", "wait in the background until there is mail", () => import("./watch.ts"), "watch"),
  entry("publish", "send mail to everybody who follows a topic", () => import("./send.ts"), "publish"),
  entry("status-update", "tell people how far you are", () => import("./status-update.ts"), "statusUpdate"),
  entry("wait", "wait for mail", () => import("./wait.ts"), "wait"),
];
