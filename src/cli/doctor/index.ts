import type { Entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  {
    name: "doctor",
    summary: "look at everything, and say what to do about it",
    common: true,
    load: async () => (await import("./doctor.ts")).doctor,
  },
];
