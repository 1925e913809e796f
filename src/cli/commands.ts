import type { Command } from "./command.ts";

export interface Entry {
  /** One or two words. */
  name: string;
  summary: string;
  /** Shown by `parley` alone. */
  common?: true;
  /** Loaded only when the command is used: starting fast is a feature. */
  load: () => Promise<Command>;
}

export const ENTRIES: readonly Entry[] = [
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
    name: "demo",
    summary: "start a small agent that answers in the chat",
    common: true,
    load: async () => (await import("./demo.ts")).demo,
  },
  { name: "stop", summary: "stop the hub", load: async () => (await import("./stop.ts")).stop },
  {
    name: "chat send",
    summary: "say something to an agent",
    common: true,
    load: async () => (await import("./chat.ts")).send,
  },
  { name: "chat read", summary: "read what was said", load: async () => (await import("./chat.ts")).read },
  {
    name: "chat tail",
    summary: "follow a chat as it goes on",
    common: true,
    load: async () => (await import("./chat-tail.ts")).tail,
  },
  { name: "agent list", summary: "list the agents of a space", load: async () => (await import("./agent.ts")).list },
  { name: "agent register", summary: "make an agent known", load: async () => (await import("./agent.ts")).register },
  {
    name: "agent default",
    summary: "choose the agent that people speak to when they name none",
    load: async () => (await import("./agent.ts")).setDefault,
  },
  {
    name: "token create",
    summary: "give a person or an agent a credential",
    common: true,
    load: async () => (await import("./token.ts")).create,
  },
  { name: "token list", summary: "list the credentials", load: async () => (await import("./token.ts")).list },
  { name: "token revoke", summary: "take a credential back", load: async () => (await import("./token.ts")).revoke },
  {
    name: "token rotate",
    summary: "replace a credential by a new one",
    load: async () => (await import("./token.ts")).rotate,
  },
  { name: "space create", summary: "open a space", load: async () => (await import("./space.ts")).create },
  { name: "space list", summary: "list the spaces", load: async () => (await import("./space.ts")).list },
  {
    name: "space delete",
    summary: "delete a space and everything in it",
    load: async () => (await import("./space.ts")).remove,
  },
  {
    name: "mcp",
    summary: "serve MCP on stdin and stdout, for an agent's configuration",
    common: true,
    load: async () => (await import("./mcp.ts")).mcp,
  },
  { name: "call", summary: "call any tool of the hub", load: async () => (await import("./call.ts")).call },
  { name: "whoami", summary: "say as whom you act", load: async () => (await import("./whoami.ts")).whoami },
  { name: "version", summary: "say which version this is", load: async () => (await import("./version.ts")).version },
  { name: "help", summary: "explain a command", load: async () => (await import("./help.ts")).help },
];

/** `token` for `token create` and its like. */
export const GROUPS: ReadonlySet<string> = new Set(
  ENTRIES.flatMap(({ name }) => (name.includes(" ") ? [name.slice(0, name.indexOf(" "))] : [])),
);

export const findEntry = (name: string): Entry | undefined => ENTRIES.find((entry) => entry.name === name);
