import { type Entry, entry } from "../core/command.ts";

export const COMMANDS: readonly Entry[] = [
  entry("approvals decide", "approve or deny what agents ask to do", () => import("./decide.ts"), "decide"),
  entry("policy show", "see what agents may do by themselves", () => import("./policy.ts"), "show"),
  entry("policy edit", "change what agents may do by themselves", () => import("./policy-edit.ts"), "edit"),
  entry("policy propose", "propose a rule of the policy", () => import("./policy.ts"), "propose"),
  entry("policy preview", "see what a rule would have decided so far", () => import("./policy.ts"), "preview"),
  entry("policy decide", "accept or reject a proposed rule", () => import("./policy.ts"), "decide"),
];
