import { commonEntry, type Entry, entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  commonEntry("serve", "run the hub in the foreground", () => import("./serve.ts"), "serve"),
  commonEntry("status", "say whether the hub runs, and what to do next", () => import("./status.ts"), "status"),
  commonEntry("login", "make a link that signs a browser in", () => import("./login.ts"), "login"),
  commonEntry("open", "open the page in your browser, signed in", () => import("./open.ts"), "open"),
  entry("logs", "read what the hub logs", () => import("./logs.ts"), "logs"),
  entry("stop", "stop the hub", () => import("./stop.ts"), "stop"),
  entry("audit verify", "check that nobody changed or cut the audit", () => import("./audit.ts"), "verify"),
  entry("audit show", "show who did what last", () => import("./audit.ts"), "show"),
  entry("call", "call any tool of the hub", () => import("./call.ts"), "call"),
  entry("link", "put parley on your PATH", () => import("./link.ts"), "link"),
  entry("version", "say which version this is", () => import("./version.ts"), "version"),
];
