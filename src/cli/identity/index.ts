import type { Entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  {
    name: "agent list",
    summary: "list the agents of a space",
    load: async () => (await import("./agent.ts")).list,
  },
  {
    name: "agent whoami",
    summary: "say which agent you are",
    load: async () => (await import("./whoami.ts")).agentWhoami,
  },
  {
    name: "agent discover",
    summary: "find agents by presence, project or name",
    load: async () => (await import("./agent.ts")).discover,
  },
  {
    name: "agent delete",
    summary: "delete an agent",
    load: async () => (await import("./agent.ts")).remove,
  },
  {
    name: "identity ensure",
    summary: "make this session an agent, or say which one it is",
    load: async () => (await import("./identity.ts")).ensure,
  },
  {
    name: "identity restore",
    summary: "resume as this session's agent",
    load: async () => (await import("./identity.ts")).restore,
  },
  {
    name: "identity save",
    summary: "note where this session is working",
    load: async () => (await import("./identity.ts")).save,
  },
  {
    name: "identity current",
    summary: "say who you are and why",
    load: async () => (await import("./identity.ts")).current,
  },
  {
    name: "identity list",
    summary: "list which session is which agent",
    load: async () => (await import("./identity.ts")).list,
  },
  {
    name: "identity set-default",
    summary: "choose the agent of a project, for those without a session",
    load: async () => (await import("./identity.ts")).setDefault,
  },
  {
    name: "heartbeat",
    summary: "say that you are there",
    load: async () => (await import("./heartbeat.ts")).heartbeat,
  },
  {
    name: "token list",
    summary: "list the credentials",
    load: async () => (await import("./token.ts")).list,
  },
  {
    name: "whoami",
    summary: "say as whom you act",
    load: async () => (await import("./whoami.ts")).whoami,
  },
];
