import { commonEntry, type Entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  commonEntry("doctor", "look at everything, and say what to do about it", () => import("./doctor.ts"), "doctor"),
];
