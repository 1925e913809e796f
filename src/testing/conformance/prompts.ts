import {
  acceptedContent,
  type GetPromptRequest,
  type GetPromptResult,
  type InputRequiredResult,
  inputRequired,
  type ListPromptsResult,
  type PromptMessage,
  ProtocolError,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { embedded, IMAGE, text } from "./content.ts";
import { askFor } from "./input-required.ts";

const user = (content: PromptMessage["content"]): PromptMessage => ({ role: "user", content });
const argument = (name: string, description: string) => ({ name, description, required: true });

const PROMPTS: ListPromptsResult["prompts"] = [
  { name: "test_simple_prompt", description: "A text." },
  {
    name: "test_prompt_with_arguments",
    description: "A text with two words put in.",
    arguments: [argument("arg1", "First test argument"), argument("arg2", "Second test argument")],
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "A resource.",
    arguments: [argument("resourceUri", "URI of the resource to embed")],
  },
  { name: "test_prompt_with_image", description: "An image." },
  { name: "test_input_required_result_prompt", description: "Asks before it answers." },
];

export function registerPrompts(server: Server): void {
  server.setRequestHandler("prompts/list", () => ({ prompts: PROMPTS }));
  server.setRequestHandler("prompts/get", getPrompt);
  server.setRequestHandler("completion/complete", () => ({ completion: { values: [], total: 0, hasMore: false } }));
}

function getPrompt({ params }: GetPromptRequest, ctx: ServerContext): GetPromptResult | InputRequiredResult {
  const given = params.arguments ?? {};
  switch (params.name) {
    case "test_simple_prompt":
      return { messages: [user(text("This is a simple prompt for testing."))] };
    case "test_prompt_with_arguments":
      return { messages: [user(text(`Prompt with arguments: arg1='${given.arg1}', arg2='${given.arg2}'`))] };
    case "test_prompt_with_embedded_resource":
      return {
        messages: [
          user(embedded(given.resourceUri ?? "", "text/plain", "Embedded resource content for testing.")),
          user(text("Please process the embedded resource above.")),
        ],
      };
    case "test_prompt_with_image":
      return { messages: [user(IMAGE), user(text("Please analyze the image above."))] };
    case "test_input_required_result_prompt":
      return askFirst(ctx);
    default:
      throw new ProtocolError(-32602, `There is no prompt ${JSON.stringify(params.name)}.`);
  }
}

function askFirst(ctx: ServerContext): GetPromptResult | InputRequiredResult {
  const context = acceptedContent(ctx.mcpReq.inputResponses, "user_context")?.context;
  if (typeof context === "string") return { messages: [user(text(`Use this context: ${context}`))] };
  return inputRequired({ inputRequests: { user_context: askFor("What context should the prompt use?", "context") } });
}
