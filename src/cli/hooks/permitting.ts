/**
 * Whether Claude Code may make a call, where the hub has started it with approvals: as the policy of the space says. What
 * people are asked about it puts off: it ends, and is asked here once more when the hub has it go on.
 */
import type { Cli } from "../core/cli.ts";
import { Failure, invalid } from "../core/failure.ts";
import { Patience } from "../core/patience.ts";
import type { HookInput } from "./input.ts";

/** As the other hooks call it, so that a rule is for all. */
const SERVER = "claude-code";
const HUB_SERVER = "parley";
const OURS = /^mcp__parley__(?=[a-z_]+$)/;
const CALL_MS = 30_000;
/** Less than its client gives it. A hub that was killed is back soon, and then ends the client, which goes on anew. */
const PATIENCE_MS = 570_000;

export async function permitted(cli: Cli, input: HookInput): Promise<string> {
  const client = cli.io.env.PARLEY_RUN && cli.token !== undefined ? cli.find() : undefined;
  if (!client) throw new Failure("NO_IDENTITY", "this hook is for what the hub has started.");
  const call = callIn(input);
  const { decision, says, ...more } = await new Patience({ wait_ms: PATIENCE_MS, patient: true }).until(
    () => client.call("run_permit", call, { timeout_ms: CALL_MS }),
    () => true,
  );
  const answer = {
    ...{ hookEventName: "PreToolUse", permissionDecision: decision, permissionDecisionReason: says },
    ...(more.arguments !== null && { updatedInput: more.arguments }),
  };
  return JSON.stringify({ hookSpecificOutput: answer });
}

function callIn(input: HookInput) {
  const [client_session_id, call_id, name] = ["session_id", "tool_use_id", "tool_name"].map((field) =>
    input.text(field),
  );
  if (client_session_id === undefined || call_id === undefined || name === undefined)
    throw invalid("the client names no session, call or tool.");
  return {
    ...{ client_session_id, call_id },
    ...{ server: OURS.test(name) ? HUB_SERVER : SERVER, tool: name.replace(OURS, "") },
    arguments: JSON.stringify(input.value("tool_input") ?? {}),
    // What a subagent puts off is never asked about again.
    can_wait: input.text("agent_id") === undefined,
  };
}
