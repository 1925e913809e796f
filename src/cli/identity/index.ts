import type { Entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
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
    name: "identity set-default",
    summary: "choose the agent of a project, for those without a session",
    load: async () => (await import("./identity.ts")).setDefault,
  },
  {
    name: "heartbeat",
    summary: "say that you are there",
    load: async () => (await import("./heartbeat.ts")).heartbeat,
  },
];
