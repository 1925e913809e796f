import type { Entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  {
    name: "serve",
    summary: "run the hub in the foreground",
    common: true,
    load: async () => (await import("./serve.ts")).serve,
  },
  {
    name: "status",
    summary: "say whether the hub runs, and what to do next",
    common: true,
    load: async () => (await import("./status.ts")).status,
  },
  {
    name: "login",
    summary: "make a link that signs a browser in",
    common: true,
    load: async () => (await import("./login.ts")).login,
  },
  {
    name: "open",
    summary: "open the page in your browser, signed in",
    common: true,
    load: async () => (await import("./open.ts")).open,
  },
  {
    name: "logs",
    summary: "read what the hub logs",
    load: async () => (await import("./logs.ts")).logs,
  },
  {
    name: "stop",
    summary: "stop the hub",
    load: async () => (await import("./stop.ts")).stop,
  },
  {
    name: "audit verify",
    summary: "check that nobody changed or cut the audit",
    load: async () => (await import("./audit.ts")).verify,
  },
  {
    name: "audit show",
    summary: "show who did what last",
    load: async () => (await import("./audit.ts")).show,
  },
  {
    name: "call",
    summary: "call any tool of the hub",
    load: async () => (await import("./call.ts")).call,
  },
  {
    name: "link",
    summary: "put parley on your PATH",
    load: async () => (await import("./link.ts")).link,
  },
  {
    name: "version",
    summary: "say which version this is",
    load: async () => (await import("./version.ts")).version,
  },
];
