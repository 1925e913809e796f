import { randomBytes } from "node:crypto";
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { saying } from "./content.ts";
import type { FixtureTool } from "./tools.ts";

/** Signs what a client carries from one round to the next. */
export const requestState = createRequestStateCodec<{ round: number }>({ key: randomBytes(32) });

const words = { type: "string" as const };

export const askFor = (message: string, field: string): InputRequest =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties: { [field]: words }, required: [field] },
  });

const confirm = inputRequired.elicit({
  message: "Please confirm",
  requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
});

const sample = (question: string): InputRequest =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: question } }],
    maxTokens: 100,
  });

/** Asking the client by an answer that says what is missing, as the newer era does it. */
export const INPUT_REQUIRED_TOOLS: Record<string, FixtureTool> = {
  test_input_required_result_elicitation: asking({ user_name: askFor("What is your name?", "name") }, (ctx) => {
    const name = acceptedContent(ctx.mcpReq.inputResponses, "user_name")?.name;
    return typeof name === "string" ? `Hello, ${name}!` : undefined;
  }),
  test_input_required_result_sampling: asking({ capital_question: sample("What is the capital of France?") }, told),
  test_input_required_result_list_roots: asking({ client_roots: inputRequired.listRoots() }, told),
  test_input_required_result_request_state: keeping({ confirm }, "state-ok"),
  test_input_required_result_tampered_state: keeping({ confirm }, "state-ok"),
  test_input_required_result_multiple_inputs: keeping(
    {
      user_name: askFor("What is your name?", "name"),
      greeting: sample("Generate a greeting"),
      client_roots: inputRequired.listRoots(),
    },
    "all there",
  ),
  test_input_required_result_multi_round: { description: "Asks twice.", run: (_args, ctx) => twoRounds(ctx) },
  test_input_required_result_capabilities: {
    description: "Asks only for what the client can do.",
    run(_args, ctx) {
      // The envelope's type is declared without the keys it is made of.
      const envelope = ctx.mcpReq.envelope as Record<string, ClientCapabilities> | undefined;
      const can = envelope?.[CLIENT_CAPABILITIES_META_KEY];
      return inputRequired({
        inputRequests: {
          ...(can?.elicitation && { user_name: askFor("What is your name?", "name") }),
          ...(can?.sampling && { greeting: sample("Generate a greeting") }),
        },
      });
    },
  },
  test_missing_capability: asking({ thought: sample("Think.") }, told),
  test_streaming_elicitation: asking({ user_name: askFor("What is your name?", "name") }, told),
};

function asking(
  inputRequests: Record<string, InputRequest>,
  answer: (ctx: ServerContext, keys: string[]) => string | undefined,
): FixtureTool {
  return {
    description: "Asks, and answers when it was told.",
    run(_args, ctx): CallToolResult | InputRequiredResult {
      const done = answer(ctx, Object.keys(inputRequests));
      return done === undefined ? inputRequired({ inputRequests }) : saying(done);
    },
  };
}

function told(ctx: ServerContext, keys: string[]): string | undefined {
  const responses = ctx.mcpReq.inputResponses;
  return responses && keys.every((key) => key in responses) ? JSON.stringify(responses) : undefined;
}

/** The SDK has checked the state that came back before the tool runs. */
function keeping(inputRequests: Record<string, InputRequest>, done: string): FixtureTool {
  return {
    description: "Asks, and gives the client something to keep meanwhile.",
    async run(_args, ctx) {
      const kept = ctx.mcpReq.requestState() !== undefined && told(ctx, Object.keys(inputRequests));
      if (kept) return saying(done);
      return inputRequired({ inputRequests, requestState: await requestState.mint({ round: 1 }) });
    },
  };
}

async function twoRounds(ctx: ServerContext): Promise<CallToolResult | InputRequiredResult> {
  const round = ctx.mcpReq.requestState<{ round: number }>()?.round ?? 0;
  if (round === 2) return saying("Both told.");
  const inputRequests =
    round === 0
      ? { step1: askFor("Step 1: What is your name?", "name") }
      : { step2: askFor("Step 2: What is your favorite color?", "color") };
  return inputRequired({ inputRequests, requestState: await requestState.mint({ round: round + 1 }) });
}
