import { type Entry, entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  entry(
    "identity ensure",
    "make this session an agent, or say which one it is",
    () => import("./identity.ts"),
    "ensure",
  ),
  entry("identity restore", "resume as this session's agent", () => import("./identity.ts"), "restore"),
  entry("identity save", "note where this session is working", () => import("./identity.ts"), "save"),
  entry("identity current", "say who you are and why", () => import("./identity.ts"), "current"),
  entry(
    "identity set-default",
    "choose the agent of a project, for those without a session",
    () => import("./identity.ts"),
    "setDefault",
  ),
  entry("heartbeat", "say that you are there", () => import("./heartbeat.ts"), "heartbeat"),
];
