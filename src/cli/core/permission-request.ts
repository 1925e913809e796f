/** What the people of the space are asked while a client asks its own person whether it may use a tool. */
import type { Input, Output } from "./tool-types.ts";

/** As long as a client gives its hook. */
export const EXPIRES_S = 3600;
const MOST_TOOL = 80;

interface Permission {
  /** The program that asks, and that runs it. */
  server: string;
  tool_name: string;
  /** What it is to be used with, all of it or what its client showed. */
  given: { arguments: Input<"approval_request">["arguments"]; covers: "arguments" | "preview" };
  /** Whether a card holds all of that. */
  is_whole: boolean;
  /** What its client says about it. */
  about: string;
  /** What it may be answered with, where all of it is shown. */
  verdicts: NonNullable<Input<"approval_request">["verdicts"]>;
}

export type Requested = Output<"approval_request">;

export function permissionRequest({ server, tool_name, given, is_whole, about, verdicts }: Permission) {
  // What is not shown whole is not allowed from here.
  const whole = is_whole && tool_name.length <= MOST_TOOL;
  const only_here = "It is too long to be shown here: only its terminal can allow it.";
  const { randomUUID } = process.getBuiltinModule("node:crypto");
  // Of its own key, whatever is asked: an old answer must not answer a new question.
  const key = `permission ${randomUUID()}`;
  return {
    ...{ key, call_id: key, server, tool: tool_name.slice(0, 200), ...given, executes: "client" as const },
    verdicts:
      whole || verdicts.length === 1 ? verdicts : (["deny_continue", "leave"] as const satisfies typeof verdicts),
    about: [about, whole || verdicts.length === 1 ? "" : only_here].filter(Boolean).join("\n"),
    expires_seconds: EXPIRES_S,
  };
}

/** Whether it was allowed or denied: silence, an end that nobody chose and what is left to the terminal are neither. */
export const behaviorOf = ({ state }: Requested): "allow" | "deny" | undefined =>
  state === "answered" ? "allow" : state === "denied" ? "deny" : undefined;
