import { type Entry, entry } from "../core/command.ts";

const identity = () => import("./identity.ts");

export const COMMANDS: readonly Entry[] = [
  entry("identity ensure", "make this session an agent, or say which one it is", identity, "ensure"),
  entry("identity restore", "resume as this session's agent", identity, "restore"),
  entry("identity save", "note where this session is working", identity, "save"),
  entry("identity current", "say who you are and why", identity, "current"),
  entry("identity set-default", "choose the agent of a project, for those without a session", identity, "setDefault"),
  entry("heartbeat", "say that you are there", () => import("./heartbeat.ts"), "heartbeat"),
];
